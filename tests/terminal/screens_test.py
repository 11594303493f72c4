#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What arkvoryctl shows in a real terminal (tmux) and in a pipe.

    screens_test.py CLIENT STUB [--keep]

Each screen is compared with the one kept beside this file, numbers, times and bars apart. `--keep` writes them anew: look
at them before they are committed.
"""
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PATIENCE = 30.0


class Failed(Exception):
    pass


def general(screen: str, folder: str = "") -> str:
    """Without what differs from run to run."""
    lines = []
    for line in screen.rstrip("\n").split("\n"):
        if folder:
            line = line.replace(folder, "FOLDER")
        line = re.sub(r"127\.0\.0\.1:\d+", "SERVER", line)
        line = re.sub(r"\[#*\.*\]", "[bar]", line)
        line = re.sub(r"\d+(\.\d+)? (B|KiB|MiB|GiB)/s", "RATE", line)
        line = re.sub(r"\d+(\.\d+)? (B|KiB|MiB|GiB)\b", "SIZE", line)
        line = re.sub(r"\b(\d+ (s|min|h)( \d+ (s|min))?|\d+\.\d s)\b", "TIME", line)
        line = re.sub(r"\d\d:\d\d", "HH:MM", line)
        line = re.sub(r" +\d+ %", " N %", line)
        lines.append(re.sub(r" {2,}", "  ", line.rstrip()))
    while lines and not lines[-1]:
        lines.pop()
    return "\n".join(lines) + "\n"


class Server:
    """A reference server with one object of 64 MiB, and seats for as many as given."""

    def __init__(self, stub: str, folder: str, seats: int, rate: str):
        root = os.path.join(folder, "root")
        os.makedirs(root, exist_ok=True)
        for name in ("big.iso", "second.iso", "third.iso"):
            with open(os.path.join(root, name), "wb") as file:
                file.truncate(64 << 20)
        self.process = subprocess.Popen(
            [stub, "serve", "--root", root, "--listen", "127.0.0.1:0", "--sessions", str(seats), "--bandwidth", rate],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert self.process.stdout is not None
        self.base = "http://" + self.process.stdout.readline().split("http://")[1].split("/")[0].strip()

    def url(self, name: str) -> str:
        return f"{self.base}/files/{name}"

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()


class Screen:
    """A terminal of a server of its own, in which one shell runs."""

    def __init__(self, folder: str, columns: int = 80, lines: int = 24, environment: str = ""):
        self.socket = os.path.join(folder, "tmux")
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", str(columns), "-y", str(lines),
                  f"cd {folder} && {environment} LC_ALL=C.UTF-8 PS1='prompt> ' exec sh")
        self.until(lambda text: "prompt>" in text)

    def tmux(self, *arguments: str) -> str:
        done = subprocess.run(["tmux", "-S", self.socket, *arguments], capture_output=True, text=True, check=True)
        return done.stdout

    def run(self, command: str) -> None:
        self.tmux("send-keys", "-l", f"clear; {command}")
        self.tmux("send-keys", "Enter")

    def press(self, key: str) -> None:
        self.tmux("send-keys", key)

    def resize(self, columns: int, lines: int) -> None:
        self.tmux("resize-window", "-x", str(columns), "-y", str(lines))

    def text(self, *how: str) -> str:
        return self.tmux("capture-pane", "-p", *how)

    def until(self, is_there) -> str:
        """The screen as soon as it is as wanted."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            text = self.text()
            if is_there(text):
                return text
        raise Failed(f"never came; the screen is:\n{self.text()}")

    def __enter__(self) -> "Screen":
        return self

    def __exit__(self, *_: object) -> None:
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], capture_output=True, check=False)


def compare(name: str, screen: str, keep: bool, folder: str = "") -> None:
    path = os.path.join(HERE, name + ".screen")
    if keep:
        with open(path, "w", encoding="utf-8") as file:
            file.write(general(screen, folder))
        return
    with open(path, encoding="utf-8") as file:
        wanted = file.read()
    if general(screen, folder) != wanted:
        raise Failed(f"{name} is\n{general(screen, folder)}\nbut was kept as\n{wanted}")


def take_seat(client: str, server: Server, folder: str) -> subprocess.Popen:
    """Another client, which gets the seat and keeps it."""
    os.makedirs(os.path.join(folder, "other"), exist_ok=True)
    other = subprocess.Popen([client, "download", "-q", "-d", os.path.join(folder, "other"),
                              "--state-dir", os.path.join(folder, "other-state"), server.url("big.iso")])
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if any(name.endswith("part") and os.path.getsize(os.path.join(folder, "other", name)) > 0
               for name in os.listdir(os.path.join(folder, "other"))):
            return other
    other.kill()
    raise Failed("the other client got no seat")


def waiting(client: str, stub: str, folder: str, keep: bool) -> None:
    with Server(stub, folder, 1, "512KiB/s") as server, Screen(folder) as screen:
        other = take_seat(client, server, folder)
        try:
            screen.run(f"{client} download --state-dir state {server.url('big.iso')}")
            seen = screen.until(lambda text: "starts about" in text)
            compare("waiting", seen, keep)
            if "\x1b[33m" not in screen.text("-e"):
                raise Failed("who waits is not marked")
            # Narrower than the row was, and wider again: no rest of it stays, and none is doubled.
            for columns in (40, 100):
                screen.resize(columns, 24)
                screen.until(lambda text: text.startswith("big.iso") and general(text).count("\n") == 1)
            screen.press("C-c")
            screen.until(lambda text: text.rstrip().endswith("prompt>"))
            compare("stopped-while-waiting", screen.text("-J"), keep, folder)
        finally:
            other.kill()
            other.wait()


def one(client: str, stub: str, folder: str, keep: bool) -> None:
    with Server(stub, folder, 4, "8MiB/s") as server, Screen(folder) as screen:
        screen.run(f"{client} download --state-dir state {server.url('big.iso')}")
        compare("downloading", screen.until(lambda text: " left" in text), keep)
        screen.resize(46, 24)
        compare("downloading-narrow", screen.until(lambda text: text.startswith("big.iso") and "[" not in text), keep)
        screen.resize(80, 24)
        compare("downloading", screen.until(lambda text: "[" in text and " left" in text), keep)
        compare("downloaded", screen.until(lambda text: text.rstrip().endswith("prompt>")), keep)


def several(client: str, stub: str, folder: str, keep: bool) -> None:
    with Server(stub, folder, 4, "24MiB/s") as server, Screen(folder, 100) as screen:
        urls = " ".join(server.url(name) for name in ("big.iso", "second.iso", "third.iso"))
        screen.run(f"{client} download --state-dir state -j 3 {urls}")
        compare("several", screen.until(lambda text: text.count(" left") == 4), keep)
        screen.press("C-c")
        ended = screen.until(lambda text: text.rstrip().endswith("prompt>"))
        if ended.count("stopped by SIGINT") != 3 or "3 files" in ended:
            raise Failed(f"after Ctrl-C the screen is:\n{ended}")
        if screen.tmux("display-message", "-p", "#{cursor_flag}").strip() != "1":
            raise Failed("the cursor is hidden")


def without_color(client: str, stub: str, folder: str, keep: bool) -> None:
    with Server(stub, folder, 1, "512KiB/s") as server, Screen(folder, environment="NO_COLOR=1") as screen:
        other = take_seat(client, server, folder)
        try:
            screen.run(f"{client} download --state-dir state {server.url('big.iso')}")
            screen.until(lambda text: "in queue" in text)
            if "\x1b" in screen.text("-e"):
                raise Failed("NO_COLOR is not honoured")
        finally:
            other.kill()
            other.wait()


def in_a_pipe(client: str, stub: str, folder: str, keep: bool) -> None:
    with Server(stub, folder, 4, "64MiB/s") as server:
        done = subprocess.run([client, "download", "--state-dir", os.path.join(folder, "state"), server.url("big.iso")],
                              cwd=folder, capture_output=True, check=True)
        text = done.stderr.decode()
        if done.stdout or re.search(r"[^\n -~]", text):
            raise Failed(f"a log has this: {done.stdout!r} {done.stderr!r}")
        compare("log", text, keep, folder)


SCENES = (waiting, one, several, without_color, in_a_pipe)


def main(client: str, stub: str, *options: str) -> int:
    keep = "--keep" in options
    failed = 0
    for scene in SCENES:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            try:
                scene(os.path.abspath(client), os.path.abspath(stub), folder, keep)
            except Failed as error:
                failed += 1
                print(f"{scene.__name__}: {error}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
