#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs both commands of the README on a fresh Debian 12: a debootstrap folder with nothing installed, entered by chroot.
# Takes the mirror and the proxy that this machine's own apt uses. Needs root and debootstrap: without, ends with 77.
#
#   tests/house/fresh-machine.sh [download|test]...     both where none is named
set -euo pipefail
export PATH="$PATH:/usr/sbin:/sbin"
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P)
commands=("$@")
if [ $# = 0 ]; then commands=(download test); fi

skip() {
  printf '%s\n' "skipped: $*"
  exit 77
}
say() { printf '%s\n' "fresh-machine: $*"; }

[ "$(id -u)" = 0 ] || skip "a chroot needs root"
command -v debootstrap >/dev/null || skip "debootstrap is not installed"

# The first archive of this machine's that has whole suites: deb822 files first, then lists of one line each.
mirror=$(sed -n 's/^URIs: *\([^ ]*\).*/\1/p' /etc/apt/sources.list.d/*.sources 2>/dev/null | head -n 1) || true
if [ -z "$mirror" ]; then
  mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
    sed -n 's/^deb  *\(\[[^]]*\] *\)\{0,1\}\([^ ]*\) .*/\2/p' | head -n 1) || true
fi
[ -n "$mirror" ] || skip "this machine's apt names no mirror"

work=$(mktemp -d -t arkvory-fresh-XXXXXX)
machine=$work/machine
# Unmounts what this script or debootstrap mounted, the last first, and never reaches through a mount that did not go away.
clean_up() {
  local place
  while read -r _ place _; do
    case $place in "$work"/*) umount "$place" || umount -l "$place" || true ;; esac
  done < <(tac /proc/self/mounts)
  rm -rf --one-file-system -- "$work"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

say "making a machine (debootstrap, minbase) in $machine"
if ! debootstrap --variant=minbase bookworm "$machine" "$mirror" >"$work/debootstrap.log" 2>&1; then
  tail -n 30 "$work/debootstrap.log"
  exit 1
fi
# The same archives as here, security among them; those of other owners would need keys that a fresh machine has not.
for list in /etc/apt/sources.list.d/debian*; do
  if [ -e "$list" ]; then
    cp -- "$list" "$machine/etc/apt/sources.list.d/"
    : >"$machine/etc/apt/sources.list"
  fi
done
apt-config dump | grep -E '^Acquire::(http|https)::Proxy|^Acquire::Check-(Valid-Until|Date)' \
  >"$machine/etc/apt/apt.conf.d/90machine" || true
cp -L -- /etc/resolv.conf /etc/hosts "$machine/etc/" 2>/dev/null || true

say "copying the tree"
mkdir -p "$machine/srv/arkvory"
tar -C "$root" --exclude='./build*' --exclude=./.git --exclude=__pycache__ -cf - . | tar -C "$machine/srv/arkvory" -xf -
mkdir -p "$machine/dev/shm"
mount -t proc proc "$machine/proc"
mount -t tmpfs -o mode=1777 tmpfs "$machine/dev/shm"

run_inside() {
  local log=$work/$1.log status=0
  say "running: packaging/bootstrap.sh $1"
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
    chroot "$machine" /bin/bash -c "cd / && exec srv/arkvory/packaging/bootstrap.sh $1" >"$log" 2>&1 </dev/null || status=$?
  sed 's/^/  | /' "$log" | tail -n 60
  say "packaging/bootstrap.sh $1 ended with $status after $SECONDS s in all"
  [ "$status" = 0 ]
}

for command in "${commands[@]}"; do
  run_inside "$command"
  case $command in
    download) grep -q '^bootstrap: downloaded and verified' "$work/download.log" ;;
    test) grep -q -E '^[1-9][0-9]* passed, 0 failed, [0-9]+ skipped$' "$work/test.log" ;;
  esac
  # Again: nothing is left to install or to build.
  if [ "$command" = download ]; then
    run_inside download
    if grep -q 'installing' "$work/download.log"; then
      say "the second run installs again"
      exit 1
    fi
  fi
done
if chroot "$machine" dpkg-query -s nginx 2>/dev/null | grep -q '^Status: .* installed$'; then
  say "a server was installed as a service"
  exit 1
fi
say "all is well"
