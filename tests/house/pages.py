# SPDX-License-Identifier: Apache-2.0
"""Checks that what is written about the programs is what the programs say.

    pages.py lint PAGE...                      each manual page is clean for mandoc
    pages.py options PAGE PROGRAM VERB...      page and --help have the same verbs and options
    pages.py version ROOT PROGRAM...           one version: CMakeLists.txt's, in --version, CHANGELOG.md and nowhere else
    pages.py readme ROOT PROGRAM...            the commands in README.md exist, their options too, and so do its links
"""
import os
import re
import shlex
import subprocess
import sys

LONG = re.compile(r"(?<![\w-])--([a-z][a-z0-9-]*)")
SHORT = re.compile(r"(?<![\w-])-([A-Za-z])(?![\w-])")
VERSION = r"(?<![\w.])(\d+\.\d+\.\d+)(?![\w.])"


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def output(command):
    """What a command prints on stdout; None and a finding's words where it fails."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
    if done.returncode != 0:
        return None, f"{' '.join(command)} ends with {done.returncode}: {(done.stderr or done.stdout).strip()}"
    return done.stdout, None


def options_in(text):
    return {"--" + name for name in LONG.findall(text)} | {"-" + name for name in SHORT.findall(text)}


def lint(*pages):
    found = []
    for page in pages:
        done = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", page], capture_output=True, text=True, check=False)
        if done.returncode != 0 or done.stdout.strip():
            found += done.stdout.strip().split("\n") if done.stdout.strip() else [f"{page}: {done.stderr.strip()}"]
    return found


def rendered(page):
    """The page as a reader sees it, without overstriking, wide enough for no word to be broken, less its examples: those
    show other programs' options too."""
    text = subprocess.run(["mandoc", "-T", "ascii", "-O", "width=500", page], capture_output=True, text=True, check=True).stdout
    text = re.sub(".\b", "", text)
    return re.sub(r"(?ms)^EXAMPLES$.*?(?=^[A-Z])", "", text)


def options(page, program, *verbs):
    name = os.path.basename(program)
    shown = rendered(page)
    general, problem = output([program, "--help"])
    if problem:
        return [problem]
    found, known = [], options_in(general)
    for verb in verbs:
        text, problem = output([program, verb, "--help"])
        if problem:
            found.append(problem)
            continue
        known |= options_in(text)
        for where, there in ((f"`{name} --help`", general), (page, shown)):
            if not re.search(rf"(?<![\w-]){re.escape(verb)}(?![\w-])", there):
                found.append(f"{where} does not name the command {verb}")
    documented = options_in(shown)
    found += [f"{page} lacks the option {option}, which {name} has" for option in sorted(known - documented)]
    found += [f"{page} has the option {option}, which {name} lacks" for option in sorted(documented - known)]
    return found


def version(root, *programs):
    stated = re.search(r"(?s)\bproject\s*\([^)]*?\bVERSION\s+([\d.]+)", read(os.path.join(root, "CMakeLists.txt")))
    if not stated:
        return ["CMakeLists.txt: states no project VERSION"]
    number = stated.group(1)
    found = []
    for program in programs:
        text, problem = output([program, "--version"])
        if problem:
            found.append(problem)
        elif number not in re.findall(VERSION, text.split("\n")[0]):
            found.append(f"{os.path.basename(program)} --version begins with '{text.split(chr(10))[0]}', not with {number}")
    entry = re.search(r"(?m)^## \[?([^\]\s]+)\]?", read(os.path.join(root, "CHANGELOG.md")))
    if not entry or entry.group(1) not in ("Unreleased", number):
        found.append(f"CHANGELOG.md: its top entry is neither Unreleased nor {number}")
    for folder in ("core", "checkpoint", "cli", "server-stub"):
        for path, _, files in os.walk(os.path.join(root, folder)):
            for file in files:
                name = os.path.join(path, file)
                if file.endswith((".cpp", ".h", "CMakeLists.txt")) and number in re.findall(VERSION, read(name)):
                    found.append(f"{os.path.relpath(name, root)}: states the version {number} again")
    return found


def commands_in(markdown):
    """The commands of the indented and fenced shell examples, as lists of words."""
    for block in re.findall(r"(?ms)^```(?:sh|bash|console)\n(.*?)^```", markdown):
        for line in re.sub(r"\\\n", " ", block).split("\n"):
            for part in re.split(r"&&|\|\||[;|]|\$\(|`", re.sub(r"(^|\s)#.*", "", line)):
                try:
                    words = shlex.split(part.strip().rstrip("&)").removeprefix("$ "))
                except ValueError:
                    words = part.split()
                if words:
                    yield words


def readme(root, *programs):
    text = read(os.path.join(root, "README.md"))
    paths = {os.path.basename(program): program for program in programs}
    found, seen = [], set()
    for words in commands_in(text):
        position = next((i for i, word in enumerate(words) if os.path.basename(word) in (*paths, "bootstrap.sh")), None)
        if position is None:
            continue
        name, arguments = os.path.basename(words[position]), words[position + 1:]
        shown = " ".join(words[position:])
        seen.add(name)
        if name == "bootstrap.sh":
            if words[position] != "packaging/bootstrap.sh" or not os.path.exists(os.path.join(root, words[position])):
                found.append(f"README.md: `{shown}`: there is no {words[position]}")
            if not arguments or arguments[0] not in ("download", "test"):
                found.append(f"README.md: `{shown}`: bootstrap.sh has no such command")
                continue
            if arguments[0] == "test":
                found += [f"README.md: `{shown}`: test has no {word}" for word in arguments[1:] if word != "--full"]
                continue
            name = "arkvoryctl"
        elif "/" in words[position] and not re.search(rf"(^|/)build/bin/{name}$", words[position]):
            found.append(f"README.md: `{shown}`: the build puts {name} into build/bin")
        if name not in paths:
            continue
        verbs = [word for word in arguments if not word.startswith("-")][:1]
        known, problem = output([paths[name], *verbs, "--help"])
        if problem:
            found.append(f"README.md: `{shown}`: {problem}")
            continue
        used = {word.split("=")[0] for word in arguments if re.match(r"--?[A-Za-z]", word)}
        found += [f"README.md: `{shown}`: {name} has no {option} there" for option in sorted(used - options_in(known))]
    found += [f"README.md: shows no use of {name}" for name in sorted({*paths, "bootstrap.sh"} - seen)]
    for link in re.findall(r"\]\(([^)#]+)\)", text):
        if "://" not in link and not os.path.exists(os.path.join(root, link)):
            found.append(f"README.md: links to {link}, which is not there")
    return found


CHECKS = {check.__name__: check for check in (lint, options, version, readme)}


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in CHECKS:
        print(__doc__)
        return 2
    found = CHECKS[sys.argv[1]](*sys.argv[2:])
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
