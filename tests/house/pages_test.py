# SPDX-License-Identifier: Apache-2.0
"""Shows pages.py a page, a readme and a program that agree, then ones that don't: each difference must be found."""
import os
import sys
import tempfile

import pages

PROGRAM = """#!/bin/sh
case "$*" in
  --version) echo "tool (Tool) 1.2.3" ;;
  --help) echo "usage: tool fetch|list [--quiet]" ;;
  "fetch --help") echo "  -o, --output FILE   where to" ;;
  "list --help") echo "  --json   for machines" ;;
  *) exit 2 ;;
esac
"""
PAGE = """.Dd November 30, 2026
.Dt TOOL 1
.Os
.Sh NAME
.Nm tool
.Nd a tool
.Sh SYNOPSIS
.Nm
.Cm fetch | list
.Op Fl -quiet
.Sh DESCRIPTION
.Bl -tag -width indent
.It Fl o , Fl -output Ar file
Where to.
.It Fl -json
For machines.
.El
.Sh EXAMPLES
.Dl curl --silent-as-a-fish -S
.Sh SEE ALSO
.Xr curl 1
"""
CMAKE = "project(tool VERSION 1.2.3 LANGUAGES CXX)\n"
CHANGES = "# Changelog\n\n## [Unreleased]\n"
README = """# Tool
See [the page](man/tool.1).
```sh
packaging/bootstrap.sh test --full
build/bin/tool fetch --output F \\
  -o G && tool list --json | curl --fail  # --comment
```
"""
failures = []


def check(name, found, words):
    """found must be nothing where words is None, else one line that says words."""
    good = not found if words is None else len(found) == 1 and words in found[0]
    if not good:
        failures.append(f"{name}: should say {words!r} and said {found}")


def run(folder, check_name, **changes):
    files = {"man/tool.1": PAGE, "CMakeLists.txt": CMAKE, "CHANGELOG.md": CHANGES, "README.md": README,
             "packaging/bootstrap.sh": "", "bin/tool": PROGRAM, "core/a.cpp": "int a;\n"}
    names = {"page": "man/tool.1", "cmake": "CMakeLists.txt", "changes": "CHANGELOG.md", "readme": "README.md",
             "program": "bin/tool", "source": "core/a.cpp"}
    files.update({names[key]: text for key, text in changes.items()})
    for name, text in files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, 0o755)
    page, program = os.path.join(folder, "man/tool.1"), os.path.join(folder, "bin/tool")
    return {"lint": lambda: pages.lint(page), "options": lambda: pages.options(page, program, "fetch", "list"),
            "version": lambda: pages.version(folder, program), "readme": lambda: pages.readme(folder, program)}[check_name]()


CASES = [
    ("lint", {}, None),
    ("lint", {"page": PAGE.replace(".El\n", "")}, "missing"),
    ("options", {}, None),
    ("options", {"program": PROGRAM.replace("  -o, --output", "  --force  -o, --output")}, "lacks the option --force"),
    ("options", {"program": PROGRAM.replace("  -o, --output", "  --output")}, "has the option -o, which tool lacks"),
    ("options", {"page": PAGE.replace(".Op Fl -quiet", ".Op Fl -quiet\n.Op Fl -loud")}, "has the option --loud"),
    ("options", {"page": PAGE.replace("Fl -json", "Ar json")}, "lacks the option --json"),
    ("options", {"page": PAGE.replace("fetch | list", "fetch")}, "does not name the command list"),
    ("options", {"program": PROGRAM.replace('"list --help")', '"lost --help")'),
                 "page": PAGE.replace(".It Fl -json\n", ".It json\n")}, "tool list --help ends with 2"),
    ("version", {}, None),
    ("version", {"changes": CHANGES.replace("[Unreleased]", "[1.2.3] - 2026-11-30")}, None),
    ("version", {"changes": CHANGES.replace("Unreleased", "1.2.2")}, "neither Unreleased nor 1.2.3"),
    ("version", {"program": PROGRAM.replace("1.2.3", "1.2.30")}, "not with 1.2.3"),
    ("version", {"source": 'auto v = "1.2.3";\n'}, "core/a.cpp: states the version"),
    ("readme", {}, None),
    ("readme", {"readme": README.replace("--output F", "--ouput F")}, "no --ouput there"),
    ("readme", {"readme": README.replace("tool list", "tool lost")}, "tool lost --help ends with 2"),
    ("readme", {"readme": README.replace("test --full", "test --fast")}, "test has no --fast"),
    ("readme", {"readme": README.replace("sh test", "sh tests")}, "no such command"),
    ("readme", {"readme": README.replace("man/tool.1", "man/tool.2")}, "links to man/tool.2"),
    ("readme", {"readme": README.replace("build/bin/", "bin/")}, "build puts tool into build/bin"),
    ("readme", {"readme": README.replace("bootstrap.sh", "other.sh")}, "shows no use of bootstrap.sh"),
]
for case, changes, words in CASES:
    with tempfile.TemporaryDirectory(prefix="arkvory-house-") as folder:
        check(f"{case} {list(changes)}", run(folder, case, **changes), words)

for line in failures:
    print(line)
print(f"{len(CASES)} cases shown, {len(failures)} failures")
sys.exit(1 if failures else 0)
