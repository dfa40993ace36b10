# Sourced, in the repository's folder: which builder there is, for which machine, which version.

fail() { echo "$1" >&2; exit 1; }

builder=${BUILDER:-}
if [ -z "$builder" ]; then
  for candidate in docker podman buildah; do
    if "$candidate" info >/dev/null 2>&1; then builder=$candidate; break; fi
  done
  [ -n "$builder" ] || fail "no builder: start Docker, or install podman or buildah"
fi
case $builder in
  docker | podman | buildah) ;;
  *) fail "BUILDER is docker, podman or buildah, not $builder" ;;
esac

case $(uname -m) in
  x86_64) native=amd64 foreign=arm64 emulator=qemu-aarch64 ;;
  aarch64 | arm64) native=arm64 foreign=amd64 emulator=qemu-x86_64 ;;
  *) fail "images are built for amd64 and arm64; this machine is $(uname -m)" ;;
esac

version=$(sed -n 's/^VERSION = "\(.*\)"$/\1/p' core/src/podmeter/version.py)
