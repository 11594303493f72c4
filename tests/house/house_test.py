# SPDX-License-Identifier: Apache-2.0
"""Shows house.py small trees: good ones, in which each rule must find nothing, and for each rule trees that break it."""
import json
import os
import sys
import tempfile

import house

SPDX = "// SPDX-License-Identifier: Apache-2.0\n"
GOOD = {
    ".ci/run": "#!/bin/bash\n# SPDX-License-Identifier: Apache-2.0\nexec true\n",
    ".clang-format": "BasedOnStyle: Google\n",
    ".clang-tidy": "Checks: x\n",
    ".gitignore": "/build*/\n",
    "ARCHITECTURE.md": "# Plan\n",
    "CHANGELOG.md": "# Changes\n",
    "CMakeLists.txt": "# SPDX-License-Identifier: Apache-2.0\n",
    "CMakePresets.json": "{}\n",
    "LICENSE": "Apache\n",
    "README.md": "# Readme\n",
    "core/base/CMakeLists.txt": "# SPDX-License-Identifier: Apache-2.0\nadd_library(x STATIC size.cpp system_clock.cpp)\n",
    "core/base/size.h": SPDX + "#include <string>\n#include <sys/stat.h>\n",
    "core/base/size.cpp": SPDX + '#include "core/base/size.h"\n// sleep(1) and steady_clock::now() are only words here\n'
                                 'const char* text = "usleep(1) ::now()";\n',
    "core/base/system_clock.cpp": SPDX + "auto t = std::chrono::steady_clock::now();\n",
    "core/http/CMakeLists.txt": "# SPDX-License-Identifier: Apache-2.0\nadd_library(y STATIC curl_transport.cpp)\n",
    "core/http/curl_transport.cpp": SPDX + '#include <curl/curl.h>\n#include "core/base/size.h"\n',
    "man/a.1": '.\\" SPDX-License-Identifier: Apache-2.0\n.Dd today\n',
    "build-x/junk.cpp": "\tsleep(1);\n",
}

ABSENT = None  # for a file to be left out

# (rule, what is changed in the good tree, what the finding must say)
BROKEN = [
    ("includes", {"core/base/size.h": SPDX + '#include "core/http/url.h"\n', "core/http/url.h": SPDX},
     "core/base may not include core/http/url.h"),
    ("includes", {"core/http/a.cpp": SPDX + '#include "core/protocol/t.h"\n', "core/protocol/t.h": SPDX},
     "core/http may not include"),
    ("includes", {"core/wait/a.h": SPDX + '#include "core/engine/d.h"\n', "core/engine/d.h": SPDX}, "core/wait may not"),
    ("includes", {"core/engine/a.h": SPDX + '# include "checkpoint/c.h"\n', "checkpoint/c.h": SPDX}, "core/engine may not"),
    ("includes", {"checkpoint/a.h": SPDX + '#include "cli/c.h"\n', "cli/c.h": SPDX}, "checkpoint may not"),
    ("includes", {"cli/a.h": SPDX + '#include "server-stub/http/c.h"\n', "server-stub/http/c.h": SPDX}, "cli may not"),
    ("includes", {"cli/a.h": SPDX + '#include "tests/support/c.h"\n', "tests/support/c.h": SPDX}, "cli may not"),
    ("includes", {"server-stub/scheduler/a.h": SPDX + '#include "core/http/c.h"\n', "core/http/c.h": SPDX},
     "server-stub/scheduler may not"),
    ("includes", {"server-stub/simulate/a.h": SPDX + '#include "server-stub/http/c.h"\n', "server-stub/http/c.h": SPDX},
     "server-stub/simulate may not"),
    ("includes", {"server-stub/http/a.h": SPDX + '#include "server-stub/simulate/c.h"\n', "server-stub/simulate/c.h": SPDX},
     "server-stub/http may not"),
    ("includes", {"server-stub/main.cpp": SPDX + '#include "checkpoint/c.h"\n', "checkpoint/c.h": SPDX}, "server-stub may not"),
    ("includes", {"core/base/size.cpp": SPDX + '#include "size.h"\n'}, "no path from the root"),
    ("includes", {"core/size.cpp": SPDX}, "in no folder of the plan"),
    ("includes", {"server-stub/cellar/size.cpp": SPDX}, "in no folder of the plan"),
    ("circles", {"core/base/a.h": SPDX + '#include "core/base/b.h"\n', "core/base/b.h": SPDX + '#include "core/base/a.h"\n'},
     "core/base/a.h -> core/base/b.h -> core/base/a.h"),
    ("third_party", {"core/engine/a.cpp": SPDX + "#include <curl/curl.h>\n"}, "<curl/curl.h> may not"),
    ("third_party", {"core/http/a.cpp": SPDX + "#include <openssl/evp.h>\n"}, "<openssl/evp.h> may not"),
    ("third_party", {"checkpoint/a.cpp": SPDX + "#include <xxhash.h>\n"}, "<xxhash.h> may not"),
    ("third_party", {"cli/main.cpp": SPDX + "#include <CLI/CLI.hpp>\n"}, "<CLI/CLI.hpp> may not"),
    ("third_party", {"checkpoint/a.h": SPDX + "#include <nlohmann/json.hpp>\n"}, "<nlohmann/json.hpp> may not"),
    ("third_party", {"server-stub/main.cpp": SPDX + "#include <boost/asio.hpp>\n"}, "<boost/asio.hpp> may not"),
    ("third_party", {"server-stub/store/a.cpp": SPDX + "#include <boost/beast/http.hpp>\n"}, "beast/http.hpp> may not"),
    ("third_party", {"core/base/size.h": SPDX + "#include <fmt/format.h>\n"}, "<fmt/format.h> may not"),
    ("third_party", {"core/base/size.h": SPDX + "#include <zlib.h>\n"}, "<zlib.h> is of no library"),
    ("third_party", {"core/base/size.cpp": SPDX + "#include <doctest/doctest.h>\n"}, "<doctest/doctest.h> may not"),
    ("clock", {"core/base/size.cpp": SPDX + "auto t = std::chrono::system_clock::now();\n"}, "core/base/size.cpp:2"),
    ("clock", {"tests/a.cpp": SPDX + "\nauto t = time(nullptr);\n"}, "tests/a.cpp:3"),
    ("clock", {"cli/a.cpp": SPDX + "clock_gettime(CLOCK_REALTIME, &t);\n"}, "reads the time"),
    ("sleep", {"cli/a.cpp": SPDX + "std::this_thread::sleep_for(1s);\n"}, "sleep_for"),
    ("sleep", {"tests/a.cpp": SPDX + "/* * */ ::usleep(5);\n"}, "usleep"),
    ("sleep", {"tests/a.cpp": SPDX + "nanosleep(&t, nullptr);\n"}, "nanosleep"),
    ("sleep", {"tests/a.cpp": SPDX + "auto c = '\"'; sleep(1);\n"}, "sleep"),
    ("sleep", {"packaging/a.sh": "#!/bin/sh\nwhile true; do sleep 1; done\n"}, "packaging/a.sh:2"),
    ("sleep", {"tests/a.py": "import time\ntime" + ".sleep(0.1)\n"}, "tests/a.py:2"),
    ("licence", {"core/base/size.h": "#include <string>\n"}, "core/base/size.h"),
    ("licence", {"man/a.1": ".Dd today\n"}, "man/a.1"),
    ("licence", {".ci/run": "#!/bin/bash\nexec true\n"}, ".ci/run"),
    ("targets", {"core/base/lost.cpp": SPDX}, "core/base/lost.cpp: is listed in no"),
    ("targets", {"core/base/lost.cpp": SPDX, "core/base/CMakeLists.txt": "add_library(x size.cpp system_clock.cpp) # lost.cpp\n"},
     "core/base/lost.cpp: is listed in no"),
    ("headers", {"core/base/lost.h": SPDX}, "core/base/lost.h"),
    ("text", {"core/base/size.h": SPDX + "\tint x;\n"}, "size.h:2: has a tab"),
    ("text", {"README.md": "a\r\n"}, "README.md:1: has a carriage return"),
    ("text", {"README.md": "a"}, "does not end with a line feed"),
    ("text", {"core/base/size.h": SPDX + "// TO" + "DO: later\n"}, "puts work off"),
    ("text", {"cli/a.cpp": SPDX + "// FIX" + "ME\n"}, "puts work off"),
    ("text", {"packaging/a.sh": "curl " + ".".join(["http://deb", "debian", "org"]) + "/debian\n"}, "registry's host"),
    ("text", {"README.md": "see " + ".".join(["registry", "npmjs", "org"]) + "\n"}, "registry's host"),
    ("text", {"README.md": "see " + ".".join(["pypi", "org"]) + "\n"}, "registry's host"),
    ("top", {"util/a.cpp": SPDX}, "util/: is a folder with code"),
    ("top", {"LICENSE": ABSENT}, "LICENSE: is missing"),
]

failures = []


def check(condition, words):
    if not condition:
        failures.append(words)


def tree_of(folder, changes):
    for name, text in {**GOOD, **changes}.items():
        if text is ABSENT:
            continue
        os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
        with open(os.path.join(folder, name), "w", encoding="utf-8", newline="") as file:
            file.write(text)
    return house.Tree(folder)


def with_tree(changes, act):
    with tempfile.TemporaryDirectory(prefix="arkvory-house-") as folder:
        return act(tree_of(folder, changes))


def compiled(tree, names):
    """The same tree with a build in which the sources named are compiled."""
    build = os.path.join(tree.root, "build-x")
    with open(os.path.join(build, "compile_commands.json"), "w", encoding="utf-8") as file:
        json.dump([{"directory": build, "file": os.path.join(tree.root, name)} for name in names], file)
    return house.Tree(tree.root, build)


rules = {rule.__name__: rule for rule in house.RULES}
for name, rule in rules.items():
    found = with_tree({}, rule)
    check(not found, f"{name} finds fault with a good tree: {found}")
    check(any(rule_name == name for rule_name, _, _ in BROKEN), f"no broken tree is shown to {name}")

for name, changes, words in BROKEN:
    found = with_tree(changes, rules[name])
    check(len(found) == 1 and words in found[0], f"{name}, shown {list(changes)}, should say '{words}' and said {found}")

sources = [name for name in GOOD if name.endswith(".cpp") and not name.startswith("build")]
found = with_tree({}, lambda tree: house.targets(compiled(tree, sources)))
check(not found, f"targets finds fault with a good build: {found}")
found = with_tree({}, lambda tree: house.targets(compiled(tree, sources[1:])))
check(found == [f"{sources[0]}: is compiled in no target"], f"targets, shown a source that is not compiled, said {found}")

for line in failures:
    print(line)
print(f"{len(BROKEN)} broken trees shown, {len(failures)} failures")
sys.exit(1 if failures else 0)
