# SPDX-License-Identifier: Apache-2.0
"""Checks that the tree is built as ARCHITECTURE.md says: `house.py --root ROOT [--build FOLDER] RULE...`.

Each rule is a function from a Tree to the findings about it, one line each; no finding means that the rule holds. There are
no exceptions in it: where one seems needed, the plan (the tables below and ARCHITECTURE.md) is to change. house_test.py
shows each rule a tree that breaks it.
"""
import argparse
import json
import os
import re
import sys

# Which of our folders a file of a folder may include. The longest folder that holds a file decides.
CORE = ["core/base", "core/http", "core/protocol", "core/wait", "core/engine"]
MAY_INCLUDE = {
    "core/base": [],
    "core/http": ["core/base"],
    "core/protocol": ["core/base", "core/http"],
    "core/wait": ["core/base", "core/http", "core/protocol"],
    "core/engine": CORE,
    "checkpoint": CORE,
    "cli": CORE + ["checkpoint"],
    "server-stub": CORE + ["server-stub/scheduler", "server-stub/simulate", "server-stub/store", "server-stub/objects",
                           "server-stub/mishap", "server-stub/http"],
    "server-stub/scheduler": ["core/base", "core/protocol"],
    "server-stub/simulate": ["core/base", "core/protocol", "server-stub/scheduler"],
    "server-stub/store": ["core/base", "core/protocol", "server-stub/scheduler"],
    "server-stub/objects": CORE,
    "server-stub/mishap": CORE + ["server-stub/objects"],
    "server-stub/http": CORE + ["server-stub/scheduler", "server-stub/store", "server-stub/objects",
                                "server-stub/mishap"],
    "tests": None,  # everything
}

# The files that may include a third-party header, by the header's name.
THIRD_PARTY = [
    (r"curl/", r"core/http/curl_[a-z_]+\.(h|cpp)"),
    (r"openssl/", r"core/base/sha256\.cpp|server-stub/.*(tls|hmac)[a-z_]*\.(h|cpp)|tests/support/tls_[a-z]+\.cpp"),
    (r"sqlite3\.h", r"server-stub/store/sqlite_[a-z_]+\.cpp|tests/server/(backup|key_store)_test\.cpp"),
    (r"xxhash\.h", r"core/base/xxh3\.cpp"),
    (r"CLI/", r"(cli|server-stub)/options\.cpp"),
    (r"nlohmann/json_fwd\.hpp", r".*"),
    (r"nlohmann/", r".*\.cpp"),
    (r"boost/(asio|beast)(/|\.hpp)", r"server-stub/http/.*"),
    (r"boost/", r"server-stub/.*"),
    (r"date/", r"server-stub/scheduler/windows\.cpp"),
    (r"benchmark/", r"tests/bench/[a-z_]+\.cpp"),
    (r"fmt/", r".*\.cpp|tests/.*"),
    (r"tl/expected\.hpp", r"core/base/result\.h"),
    (r"doctest/", r"tests/.*"),
]

# Headers of the C library and the system; those of the C++ library have no dot.
SYSTEM_HEADER = re.compile(
    r"(arpa|linux|net|netinet|sys)/[a-z0-9_]+\.h|"
    r"(dirent|errno|fcntl|grp|langinfo|libgen|limits|locale|malloc|netdb|poll|pthread|pwd|sched|semaphore|signal|spawn|stdint|stdio|"
    r"stdlib|string|strings|syslog|termios|time|unistd|wchar)\.h")

FOLDERS = ["core", "checkpoint", "cli", "server-stub", "tests", "man", "packaging", ".ci"]
TOP_FILES = ["CMakeLists.txt", "CMakePresets.json", "README.md", "ARCHITECTURE.md", "CHANGELOG.md", "LICENSE",
             ".clang-format", ".clang-tidy", ".gitignore"]

PYTHON_SLEEP = r"\btime\s*\.\s*sleep\b|\bfrom time import [^\n]*sleep"
SHELL_SLEEP = r"(?m)^[^#\n]*?(?:^|[;&|(]|\bdo|\bthen)\s*sleep\s+[\d.\"$]"

# Folders that are built only with the server.
SERVER_PARTS = ("server-stub/", "tests/server/", "tests/e2e/", "tests/bench/")

# Assembled, so that this file does not say them itself.
FORBIDDEN_WORDS = re.compile(r"\b(%s)\b" % "|".join(["TO" + "DO", "FIX" + "ME"]))
# Hosts of package registries, by their shape: such a name in the tree would tie a build to one place.
REGISTRY_HOST = re.compile(
    r"\b(deb|ftp|security|snapshot|archive|cdn-aws)(\.[a-z0-9-]+)*\.(debian|ubuntu)\.(org|com)\b|"
    r"\b(registry|repo1?|index|static|files|proxy|pypi|packages?|artifacts?|artifactory)(\.[a-z0-9-]+)*"
    r"\.?(npmjs|yarnpkg|pythonhosted|crates|golang|maven|rubygems|nodesource|docker|pypi)\.(org|io|com|net)\b|"
    r"\b(pypi|crates|rubygems|npmjs)\.(org|io|com)\b")


class Tree:
    """The project's files below ROOT, by their paths from there, read once."""

    def __init__(self, root, build=None, server=True):
        self.root = root
        self.build = build
        self.server = server
        self.texts = {}
        for name in TOP_FILES:
            self._read(name)
        for folder in FOLDERS:
            for path, folders, files in os.walk(os.path.join(root, folder)):
                folders[:] = sorted(f for f in folders if f not in ("corpus", "__pycache__"))
                for name in sorted(files):
                    self._read(os.path.relpath(os.path.join(path, name), root))

    def _read(self, name):
        try:
            with open(os.path.join(self.root, name), "rb") as file:
                self.texts[name] = file.read().decode("utf-8", "replace")
        except FileNotFoundError:
            pass

    def files(self, *endings):
        return [(name, text) for name, text in self.texts.items() if name.endswith(endings)]

    def code(self):
        return self.files(".h", ".cpp")


def is_script(name, text):
    return name.endswith((".py", ".sh")) or text.startswith("#!")


def without_comments(text):
    """C++ with each comment and string emptied, line numbers kept."""
    pattern = re.compile(r'R"(?P<d>[^(\s]*)\(.*?\)(?P=d)"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'|'
                         r"//[^\n]*|/\*.*?\*/", re.S)
    return pattern.sub(lambda match: "\n" * match.group().count("\n") or " ", text)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def each_match(pattern, text):
    for match in re.finditer(pattern, text):
        yield line_of(text, match.start()), match


def folder_in_plan(name):
    folder = os.path.dirname(name)
    while folder and folder not in MAY_INCLUDE:
        folder = os.path.dirname(folder)
    return folder


def home(name):
    """The folder of the plan that a file belongs to, or None where the plan has no place for it."""
    folder = folder_in_plan(name)
    if not folder:
        return None
    # Folders with parts hold files in their parts only; core itself is none.
    inside = name[len(folder) + 1:]
    if folder == "server-stub" and "/" in inside:
        return None
    return folder


def own_includes(text):
    for line, match in each_match(r'(?m)^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', text):
        yield line, match.group(1)


def includes(tree):
    """Arrows between folders go the one way that ARCHITECTURE.md draws, and every quoted include is a path from the root."""
    found = []
    for name, text in tree.code():
        folder = home(name)
        if folder is None:
            found.append(f"{name}: is in no folder of the plan")
            continue
        for line, target in own_includes(text):
            if target not in tree.texts:
                found.append(f'{name}:{line}: "{target}" is no path from the root to a file of ours')
                continue
            goal = home(target)
            allowed = MAY_INCLUDE[folder]
            if allowed is not None and goal != folder and goal not in allowed:
                found.append(f"{name}:{line}: {folder} may not include {target}")
    return found


def circles(tree):
    """No header includes itself by way of others."""
    graph = {name: [target for _, target in own_includes(text)] for name, text in tree.files(".h")}
    found, done = [], set()

    def visit(name, path):
        if name in path:
            found.append("a circle of includes: " + " -> ".join(path[path.index(name):] + [name]))
            return
        if name in done:
            return
        done.add(name)
        for target in graph.get(name, []):
            visit(target, path + [name])

    for name in graph:
        visit(name, [])
    return found


def third_party(tree):
    """A library's headers are included only in the files that wrap it."""
    found = []
    for name, text in tree.code():
        for line, match in each_match(r"(?m)^[ \t]*#[ \t]*include[ \t]*<([^>]+)>", text):
            header = match.group(1)
            if "." not in header or SYSTEM_HEADER.fullmatch(header):
                continue
            places = next((places for pattern, places in THIRD_PARTY if re.match(pattern, header)), None)
            if places is None:
                found.append(f"{name}:{line}: <{header}> is of no library that the plan knows")
            elif not re.fullmatch(places, name):
                found.append(f"{name}:{line}: <{header}> may not be included here")
    return found


def clock(tree):
    """Time is read in one file; all others are given a Clock."""
    found = []
    for name, text in tree.code():
        if name == "core/base/system_clock.cpp":
            continue
        for line, match in each_match(r"::now\s*\(|\b(clock_gettime|gettimeofday)\s*\(|\btime\s*\(\s*(nullptr|NULL|0)\s*\)",
                                      without_comments(text)):
            found.append(f"{name}:{line}: reads the time ({match.group().strip()}) instead of asking a Clock")
    return found


def sleep(tree):
    """Nothing sleeps: whoever waits, waits for something."""
    found = []
    for name, text in tree.code():
        for line, match in each_match(r"\b(sleep_for|sleep_until|usleep|nanosleep|clock_nanosleep|sleep)\s*\(",
                                      without_comments(text)):
            found.append(f"{name}:{line}: sleeps ({match.group(1)})")
    for name, text in tree.texts.items():
        if not is_script(name, text):
            continue
        pattern = PYTHON_SLEEP if name.endswith(".py") else SHELL_SLEEP
        for line, _ in each_match(pattern, text):
            found.append(f"{name}:{line}: sleeps")
    return found


def licence(tree):
    """Each file names its licence on top."""
    found = []
    for name, text in tree.texts.items():
        if name.startswith("tests/") and not name.endswith((".h", ".cpp", ".py", ".sh", "CMakeLists.txt")):
            continue
        if name.endswith((".md", ".json")) or name in ("LICENSE", ".clang-format", ".clang-tidy", ".gitignore"):
            continue
        if not any("SPDX-License-Identifier: Apache-2.0" in line for line in text.split("\n")[:3]):
            found.append(f"{name}: has no line 'SPDX-License-Identifier: Apache-2.0' on top")
    return found


def targets(tree):
    """Each source is listed by name in a CMakeLists.txt, and compiled where there is a build to ask."""
    listed = set()
    for name, text in tree.files("CMakeLists.txt"):
        folder = os.path.dirname(name)
        for token in re.findall(r"[\w./-]+\.cpp", re.sub(r"#[^\n]*", "", text)):
            listed.add(os.path.normpath(os.path.join(folder, token)))
    compiled = None
    if tree.build:
        with open(os.path.join(tree.build, "compile_commands.json"), encoding="utf-8") as file:
            compiled = {os.path.relpath(os.path.realpath(entry["file"]), os.path.realpath(tree.root))
                        for entry in json.load(file)}
    found = []
    for name, _ in tree.files(".cpp"):
        if name not in listed:
            found.append(f"{name}: is listed in no CMakeLists.txt")
        elif compiled is not None and name not in compiled and (tree.server or not name.startswith(SERVER_PARTS)):
            found.append(f"{name}: is compiled in no target")
    return found


def headers(tree):
    """Each header is included by a file other than itself."""
    used = {target for _, text in tree.code() for _, target in own_includes(text)}
    return [f"{name}: is included by no file" for name, _ in tree.files(".h") if name not in used]


def text(tree):
    """Spaces, line feeds, UTF-8; no words that put work off, no host of a package registry."""
    found = []
    for name, content in tree.texts.items():
        for what, pattern in (("a tab", "\t"), ("a carriage return", "\r"), ("a byte that is not UTF-8", "\ufffd"),
                              ("a word that puts work off", FORBIDDEN_WORDS), ("a package registry's host", REGISTRY_HOST)):
            for line, match in each_match(pattern, content):
                shown = "" if match.group().isspace() else f" ({match.group()})"
                found.append(f"{name}:{line}: has {what}{shown}")
        if content and not content.endswith("\n"):
            found.append(f"{name}: does not end with a line feed")
    return found


def top(tree):
    """The folders on top are fixed."""
    found = [f"{name}: is missing" for name in TOP_FILES if name not in tree.texts]
    for name in sorted(os.listdir(tree.root)):
        path = os.path.join(tree.root, name)
        if not os.path.isdir(path) or name in FOLDERS or name == ".git" or re.match(r"build(-|$)", name):
            continue
        # A folder without code is the user's own business: a download, say.
        if any(re.search(r"\.(h|cpp|py|sh|cmake)$|^CMakeLists\.txt$", file) for _, _, files in os.walk(path) for file in files):
            found.append(f"{name}/: is a folder with code beside the fixed ones")
    return found


RULES = [includes, circles, third_party, clock, sleep, licence, targets, headers, text, top]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", required=True)
    parser.add_argument("--build", help="a build folder with compile_commands.json")
    parser.add_argument("--server", default="ON", help="whether that build has the server")
    parser.add_argument("rules", nargs="*", choices=[[], *(rule.__name__ for rule in RULES)])
    arguments = parser.parse_args()
    tree = Tree(arguments.root, arguments.build, arguments.server.upper() in ("ON", "1", "TRUE", "YES"))
    if not tree.code():
        print(f"no code below {arguments.root}")
        return 1
    found = [line for rule in RULES if not arguments.rules or rule.__name__ in arguments.rules for line in rule(tree)]
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
