#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Sets up everything on a Debian 12 machine and does one of two things:
#
#   packaging/bootstrap.sh download [URL... and options]   build arkvoryctl and download; without a URL, from a sample server
#   packaging/bootstrap.sh test [--full]                   build everything and run the tests; --full runs all there are
#
# Needs bash and apt-get, and root or sudo where a package is missing. Works from any folder, with or without git, HOME and
# ccache. Nothing that it installs starts a service, now or at the next boot. What the tools print goes to
# build/bootstrap.log.
set -euo pipefail

export PATH="${PATH:-/usr/bin:/bin}:/usr/sbin:/sbin"
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
log=$root/build/bootstrap.log
jobs=$(nproc)

build_packages=(g++ cmake ninja-build pkgconf ca-certificates openssl libcurl4-openssl-dev libssl-dev libcli11-dev libfmt-dev
  nlohmann-json3-dev libexpected-dev libxxhash-dev libsqlite3-dev libboost1.81-dev
  libhowardhinnant-date-dev tzdata doctest-dev)
# The cases of hostile servers set clocks with faketime and make networks with iproute2. libpcre2-8-0 and zlib1g are what
# nginx links to: see fetch_program. curl, wget, aria2 and lftp wait in the server's queue, as apt does; aria2 is measured
# against as well. tmux is the terminal that people see it in.
test_packages=(python3 mandoc shellcheck curl wget aria2 lftp faketime iproute2 tmux libbenchmark-dev libpcre2-8-0 zlib1g)
full_packages=(clang llvm libclang-rt-14-dev debootstrap)

# On stderr, for stdout may be data: `download --json URL`.
say() { printf '%s\n' "bootstrap: $*" >&2; }
stop() {
  printf '%s\n' "bootstrap: $*" >&2
  exit 1
}

usage() {
  cat <<'END'
usage: packaging/bootstrap.sh download [URL... and options of `arkvoryctl download`]
       packaging/bootstrap.sh test [--full]
END
}

# Runs a command with its output in the log; on failure shows the log's end and stops.
logged() {
  local what=$1
  shift
  printf '\n== %s: %s\n' "$what" "$*" >>"$log"
  if "$@" >>"$log" 2>&1 </dev/null; then return; fi
  printf '%s\n' "---- the end of $log:" >&2
  tail -n 40 -- "$log" >&2
  stop "$what failed; the whole output is in $log"
}

as_root() {
  if [ "$(id -u)" = 0 ]; then
    env "$@"
  elif command -v sudo >/dev/null; then
    sudo env "$@"
  else
    stop "packages have to be installed, and this is neither root nor is there sudo: ${missing[*]}"
  fi
}

apt() { as_root DEBIAN_FRONTEND=noninteractive NEEDRESTART_MODE=l apt-get -q -y "$@"; }

# Installs those of the packages given that are missing. --no-remove: rather fail than take away what the user has, such as
# another version of Boost.
install_packages() {
  missing=()
  local package
  for package in "$@"; do
    if [ "$(dpkg-query -W -f '${db:Status-Abbrev}' -- "$package" 2>/dev/null | cut -c 1-2)" != ii ]; then
      missing+=("$package")
    fi
  done
  if [ ${#missing[@]} = 0 ]; then return; fi
  command -v apt-get >/dev/null || stop "this machine has no apt-get; install what corresponds to: ${missing[*]}"
  say "installing ${#missing[@]} packages: ${missing[*]}"
  # sudo may ask for a password: here, where it can be seen.
  if [ "$(id -u)" != 0 ] && command -v sudo >/dev/null; then sudo -v || stop "sudo was refused"; fi
  logged "apt-get update" apt update
  logged "apt-get install" apt install --no-install-recommends --no-remove "${missing[@]}"
}

# fetch_program PACKAGE PATH. Tests need the program of some packages, not their service: where it isn't installed the
# package is unpacked below build/, for installing it would start a server, and enable it for the next boot.
fetch_program() {
  local package=$1 path=$2
  local tools=$root/build/tools
  if command -v "${path##*/}" >/dev/null || [ -x "$tools/$path" ]; then return; fi
  say "fetching $package into build/tools (unpacked there, not installed)"
  mkdir -p "$tools"
  if ! (cd "$tools" && apt-get -q download "$package") >>"$log" 2>&1; then
    missing=("$package")
    logged "apt-get update" apt update
    (cd "$tools" && logged "apt-get download $package" apt-get -q download "$package")
  fi
  logged "unpacking $package" dpkg-deb -x "$tools/$package"_*.deb "$tools"
}

# configure PRESET [-D...]. Warnings are errors: Debian 12's compiler is known, and both commands share what is built.
configure() {
  local preset=$1
  shift
  (cd "$root" && logged "configuring $preset" cmake --preset "$preset" -D ARKVORY_WERROR=ON "$@")
}

# build PRESET FOLDER [TARGET...]
build() {
  local preset=$1 folder=$2
  shift 2
  say "building $preset in $folder/"
  (cd "$root" && logged "building $preset" cmake --build "$folder" --parallel "$jobs" ${1:+--target "$@"})
}

# ---- download

download() {
  install_packages "${build_packages[@]}"
  configure release
  build release build arkvoryctl arkvory-stub
  if [ $# -gt 0 ]; then exec "$root/build/bin/arkvoryctl" download "$@"; fi
  sample_download
}

# A few files that are the same on every machine: a keystream from a fixed key, which costs a tenth of a second.
make_sample_tree() {
  local tree=$1
  mkdir -p "$tree/docs"
  printf 'This tree was made by packaging/bootstrap.sh.\n' >"$tree/README.txt"
  printf 'A file in a folder.\n' >"$tree/docs/note.txt"
  if [ "$(stat -c %s "$tree/sample-64MiB.bin" 2>/dev/null)" = 67108864 ]; then return; fi
  head -c 64M /dev/zero | openssl enc -aes-128-ctr -nosalt -K 61726b766f72792d73616d706c652d31 \
    -iv 00000000000000000000000000000000 >"$tree/sample-64MiB.bin"
}

# The sample server has one seat, which another client takes first: the download shows its place in the queue and when its
# turn will come, then progress, then the verified file.
sample_download() {
  local tree=$root/build/sample/tree folder=$root/build/sample/downloads file=sample-64MiB.bin
  make_sample_tree "$tree"
  mkdir -p "$folder"
  rm -f -- "$folder/$file"* "$folder"/other-client.bin*
  local sha256
  sha256=$(sha256sum -- "$tree/$file" | cut -d ' ' -f 1)

  coproc SERVER { exec "$root/build/bin/arkvory-stub" serve --root "$tree" --listen 127.0.0.1:0 --sessions 1 \
    --bandwidth 12MiB/s 2>>"$log"; }
  # bash forgets both as soon as the server ends.
  server=${SERVER_PID:-}
  local lines=${SERVER[0]:-} line='' address=''
  trap 'stop_sample' EXIT
  while [ -n "$lines" ] && read -r -t 20 -u "$lines" line 2>/dev/null; do
    if [[ $line == *listening\ http://* ]]; then
      address=${line#*listening }
      address=${address%% *}
      break
    fi
  done
  if [ -z "$address" ]; then stop "the sample server did not start; see $log"; fi

  say "a sample server listens on $address (arkvory-stub, pid $server): one seat, 12 MiB/s"
  take_seat "$address/files/$file" "$folder"
  say "running: arkvoryctl download $address/files/$file -o build/sample/downloads/$file --sha256 $sha256"
  local status=0
  "$root/build/bin/arkvoryctl" download "$address/files/$file" -o "$folder/$file" --sha256 "$sha256" || status=$?
  stop_sample
  trap - EXIT
  rm -f -- "$folder"/other-client.bin*
  if [ "$status" != 0 ]; then
    say "the download ended with status $status; the server's own words are in $log"
    return "$status"
  fi
  cat <<END
bootstrap: downloaded and verified: $folder/$file
bootstrap: the sample server is stopped. Next:
  packaging/bootstrap.sh download URL -o FILE --sha256 HEX        a download of your own
  build/bin/arkvory-stub serve --root DIR --listen 127.0.0.1:8080  the bundled server, on a folder of yours
  man -l man/arkvoryctl.1                                          every option, every exit status
END
}

# Another client begins a download and so takes the only seat; returns once bytes come.
take_seat() {
  local url=$1 folder=$2 lines line=''
  exec {lines}< <(exec "$root/build/bin/arkvoryctl" download --json --state-dir "$root/build/sample/other-state" \
    -o "$folder/other-client.bin" "$url" 2>>"$log")
  other=$!
  while read -r -t 20 -u "$lines" line; do
    if [[ $line == *'"event":"progress"'* ]]; then
      say "another client (pid $other) has the seat for some seconds"
      return
    fi
  done
  stop "the other client got no seat; see $log"
}

# Ends what the sample started, once, by the pids it was started with.
stop_sample() {
  local pid
  for pid in ${other:-} ${server:-}; do
    kill -TERM "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  done
  other='' server=''
}

# ---- test

passed=0 failed=0 skipped=0 problems=() fuzz_targets=()

# run_tests PRESET "SUITE..." [ctest options]: runs ctest, shows its closing lines, adds to the sums, and notes each suite (a
# label) of which no test ran.
run_tests() {
  local preset=$1 suites=$2 folder=$root/build output report suite
  shift 2
  if [ "$preset" != release ]; then folder=$root/build-$preset; fi
  output=$folder/ctest.log
  report=$folder/ctest.xml
  say "running the tests of $preset"
  rm -f -- "$report"
  local status=0
  # One more than there are processors: many tests wait for most of their time.
  (cd "$root" && ctest --preset "$preset" --parallel "$((jobs + 1))" --output-junit "$report" "$@") >"$output" 2>&1 </dev/null ||
    status=$?
  if [ "$status" != 0 ]; then
    grep -v -E '^ *([0-9]+/[0-9]+ Test +#[0-9]+: .*\.   Passed +[0-9.]+ sec *$|Start +[0-9]+:)' "$output" |
      sed '/^[0-9]*% tests passed/,$d' | tail -n 200 >&2
  fi
  sed -n '/^[0-9]*% tests passed/,$p' "$output"
  if [ ! -e "$report" ]; then
    tail -n 20 -- "$output" >&2
    problems+=("$preset: ctest wrote no report (status $status)")
    return
  fi

  local tests failures disabled not_run
  tests=$(attribute tests) failures=$(attribute failures) disabled=$(attribute disabled) not_run=$(attribute skipped)
  passed=$((passed + tests - failures - disabled - not_run))
  failed=$((failed + failures))
  skipped=$((skipped + disabled + not_run))
  if [ "$status" != 0 ] && [ "$failures" = 0 ]; then problems+=("$preset: ctest ended with status $status"); fi
  for suite in $suites; do
    if ! suite_ran "$preset" "$suite" "$output"; then problems+=("$preset: no test of the suite '$suite' ran"); fi
  done
}

# An attribute of the report's <testsuite>, which ctest writes one a line.
attribute() { sed -n "1,/>\$/s/^[[:space:]]*$1=\"\([0-9]*\)\".*/\1/p" "$report" | head -n 1; }

# Whether one test with the label was run to its end, as the output says by the tests' numbers.
suite_ran() {
  local preset=$1 suite=$2 output=$3
  (cd "$root" && ctest --preset "$preset" -N -L "^$suite\$") |
    awk 'NR == FNR { if (match($0, /^ *Test +#[0-9]+:/)) { sub(/^ *Test +#/, ""); sub(/:.*/, ""); wanted[$0] = 1 } next }
         /^ *[0-9]+\/[0-9]+ Test +#[0-9]+: .*\.(   Passed|\*\*\*Failed) +[0-9.]+ sec *$/ {
           sub(/^ *[0-9]+\/[0-9]+ Test +#/, ""); sub(/:.*/, ""); if ($0 in wanted) ran = 1 }
         END { exit !ran }' - "$output"
}

# Each libFuzzer target for a short while, beginning with a copy of its corpus.
run_fuzzers() {
  local target name corpus
  for target in "${fuzz_targets[@]}"; do
    name=${target#fuzz_}
    corpus=$root/build-fuzz/corpus/$name
    rm -rf -- "$corpus"
    mkdir -p "$corpus"
    if [ -d "$root/tests/fuzz/corpus/$name" ]; then cp -r -- "$root/tests/fuzz/corpus/$name/." "$corpus/"; fi
    say "fuzzing $name for 20 s"
    if (cd "$root/build-fuzz" && "bin/$target" -max_total_time=20 -rss_limit_mb=1024 -artifact_prefix="$name-" "$corpus") \
      >"$root/build-fuzz/$name.log" 2>&1 </dev/null; then
      passed=$((passed + 1))
    else
      failed=$((failed + 1))
      tail -n 40 -- "$root/build-fuzz/$name.log" >&2
    fi
  done
}

run_all_tests() {
  local full=$1
  install_packages "${build_packages[@]}" "${test_packages[@]}"
  fetch_program nginx usr/sbin/nginx
  if [ "$full" = yes ]; then
    install_packages "${full_packages[@]}"
    fetch_program prometheus usr/bin/promtool
  fi

  configure release
  build release build
  run_tests release "unit contract sim server e2e hostile fuzz house bench" -LE '^full$'

  configure dev
  build dev build-dev
  run_tests dev "unit contract sim fuzz house" -LE '^full$'

  if [ "$full" = yes ]; then
    configure tsan
    build tsan build-tsan
    run_tests tsan "unit contract sim server e2e" -LE '^full$'
    configure server-asan
    build server-asan build-server-asan test_server_loop test_server_binary test_e2e
    run_tests server-asan "server e2e" -L '^(server|e2e)$' -LE '^full$'
    fuzz_targets=("$root"/tests/fuzz/fuzz_*.cpp)
    fuzz_targets=("${fuzz_targets[@]##*/}")
    fuzz_targets=("${fuzz_targets[@]%.cpp}")
    configure fuzz
    build fuzz build-fuzz "${fuzz_targets[@]}"
    run_fuzzers
    run_tests release "full" -L '^full$' --parallel 1
  fi

  local problem
  for problem in ${problems[@]+"${problems[@]}"}; do say "FAILED: $problem"; done
  printf '%s\n' "$passed passed, $failed failed, $skipped skipped"
  [ "$failed" = 0 ] && [ ${#problems[@]} = 0 ]
}

# ----

main() {
  local verb=${1:-}
  if [ $# -gt 0 ]; then shift; fi
  case $verb in
    download | test) mkdir -p "$root/build" && : >"$log" ;;
    -h | --help | help)
      usage
      return
      ;;
    *)
      usage >&2
      return 2
      ;;
  esac
  if [ "$verb" = download ]; then
    download "$@"
    return
  fi
  case "$*" in
    '') run_all_tests no ;;
    --full) run_all_tests yes ;;
    *)
      usage >&2
      return 2
      ;;
  esac
}

main "$@"
