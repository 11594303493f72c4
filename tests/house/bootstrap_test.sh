#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Shows packaging/bootstrap.sh small projects instead of this one: its `test` must add up what ctest did, and fail where a test
# failed or a suite did not run.
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P)
work=$(mktemp -d -t arkvory-bootstrap-XXXXXX)
trap 'rm -rf -- "$work"' EXIT
failures=0

# A test installs nothing: where a package is missing, this is what is found out.
mkdir "$work/bin"
printf '#!/bin/sh\necho "a package is missing: run packaging/bootstrap.sh test" >&2\nexit 1\n' >"$work/bin/apt-get"
chmod +x "$work/bin/apt-get"
cp "$work/bin/apt-get" "$work/bin/sudo"

# project NAME: a tree with bootstrap.sh and with one passing test for each suite, to be changed by the caller.
project() {
  local tree=$work/$1 suite
  mkdir -p "$tree/packaging" "$tree/build/tools/usr/sbin"
  cp "$root/packaging/bootstrap.sh" "$tree/packaging/"
  # An nginx is there already, so that none is fetched.
  install -m 755 /dev/null "$tree/build/tools/usr/sbin/nginx"
  cp "$root/CMakePresets.json" "$tree/"
  {
    echo 'cmake_minimum_required(VERSION 3.25)'
    echo 'project(small LANGUAGES NONE)'
    echo 'enable_testing()'
    for suite in unit contract sim server e2e hostile fuzz house bench; do
      echo "add_test(NAME \"$suite: it's <good> & Passed\" COMMAND sh -c \"exit \$<IF:\$<BOOL:\${BAD_$suite}>,\${BAD_$suite},0>\")"
      echo "set_tests_properties(\"$suite: it's <good> & Passed\" PROPERTIES LABELS $suite SKIP_RETURN_CODE 77)"
    done
    echo 'add_test(NAME "a long one" COMMAND false)'
    echo 'set_tests_properties("a long one" PROPERTIES LABELS full)'
  } >"$tree/CMakeLists.txt"
  printf '%s\n' "$tree"
}

# expect WHAT STATUS LAST-LINE [WORDS]: of `bootstrap.sh test` in $tree, run from another folder without HOME.
expect() {
  local what=$1 status=0 output
  output=$(cd / && env -i PATH="$work/bin:$PATH" "$tree/packaging/bootstrap.sh" test 2>&1 </dev/null) || status=$?
  if [ "$status" = "$2" ] && [ "$(tail -n 1 <<<"$output")" = "$3" ] && grep -q -F -- "${4:-}" <<<"$output"; then return; fi
  failures=$((failures + 1))
  printf '%s\n' "$what: status $status, and not '$2', '$3', '${4:-}':" "$output"
}

# dev runs every suite of this small project too, hence eighteen.
tree=$(project good)
expect "all is well" 0 "18 passed, 0 failed, 0 skipped" "100% tests passed, 0 tests failed out of 9"
expect "all is well again" 0 "18 passed, 0 failed, 0 skipped"

tree=$(project failing)
sed -i '/^enable_testing/a set(BAD_sim 1)' "$tree/CMakeLists.txt"
expect "a test fails" 1 "16 passed, 2 failed, 0 skipped" "sim: it's <good> & Passed (Failed)"

tree=$(project skipping)
sed -i '/^enable_testing/a set(BAD_e2e 77)' "$tree/CMakeLists.txt"
expect "a suite is skipped" 1 "16 passed, 0 failed, 2 skipped" "release: no test of the suite 'e2e' ran"

tree=$(project lacking)
sed -i '/house:/d' "$tree/CMakeLists.txt"
expect "a suite is not there" 1 "16 passed, 0 failed, 0 skipped" "dev: no test of the suite 'house' ran"

tree=$(project unbuilt)
echo 'add_custom_target(broken ALL COMMAND sh -c "echo said by the compiler && exit 1")' >>"$tree/CMakeLists.txt"
expect "the build fails" 1 "bootstrap: building release failed; the whole output is in $tree/build/bootstrap.log" \
  "said by the compiler"

[ "$failures" = 0 ]
