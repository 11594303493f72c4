#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""promtool finds nothing wrong with /metrics of a server that has one download running and one waiting.

    promtool_test.py STUB PROMTOOL
"""
import os
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request


def begin(url: str, download_id: str):
    request = urllib.request.Request(url, headers={"Arkvory-Download-Id": download_id})
    try:
        return urllib.request.urlopen(request)
    except urllib.error.HTTPError as busy:
        return busy


def check(promtool: str, metrics: bytes) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run([promtool, "check", "metrics"], input=metrics, capture_output=True, check=False)


def main(stub: str, promtool: str) -> int:
    with tempfile.TemporaryDirectory() as root:
        with open(os.path.join(root, "big"), "wb") as file:
            file.truncate(64 << 20)
        server = subprocess.Popen(
            [stub, "serve", "--root", root, "--listen", "127.0.0.1:0", "--sessions", "1", "--bandwidth", "1MiB/s"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            assert server.stdout is not None
            base = "http://" + server.stdout.readline().split("http://")[1].split("/")[0].strip()
            with begin(base + "/files/big", "first-0123456789") as seated:
                assert seated.status == 200, seated.status
                with begin(base + "/files/big", "second-0123456789") as waiting:
                    assert waiting.status == 503, waiting.status
                with urllib.request.urlopen(base + "/metrics") as answer:
                    metrics = answer.read()
        finally:
            server.kill()
            server.wait()
    refused = check(promtool, metrics + b"arkvory_broken{\n")
    assert refused.returncode != 0, "promtool takes anything"
    done = check(promtool, metrics)
    sys.stdout.write((done.stdout + done.stderr).decode())
    return 1 if done.returncode or done.stdout or done.stderr else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
