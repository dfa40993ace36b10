#!/bin/sh
# Builds the images with Docker, Podman or buildah, whichever is there, and prints their sizes.
#   BUILDER=docker|podman|buildah
#   REGISTRY=docker.io/podmeter   what the images' names start with
#   IMAGES="api worker bench"
#   PLATFORMS="amd64 arm64"       unless given: this machine's, and the other where it can run here
#   CERTIFICATES=FILE             PEM; authorities of a proxy's own, for downloads of the build alone
set -eu
cd "$(dirname "$0")/.."
. images/builder.sh

if [ -z "${PLATFORMS:-}" ]; then
  PLATFORMS=$native
  if [ -e "/proc/sys/fs/binfmt_misc/$emulator" ]; then
    PLATFORMS="$native $foreign"
  else
    echo "$foreign is left out: this machine does not run its programs ($emulator is not registered" \
      "with binfmt_misc, as the package qemu-user-static does)"
  fi
fi

revision=$(git rev-parse HEAD 2>/dev/null || echo unknown)
registry=${REGISTRY:-docker.io/podmeter}
built=""

build() { # NAME PLATFORM TAG
  set -- "$1" "$2" "$3" --platform "linux/$2" --tag "$3" \
    --build-arg "VERSION=$version" --build-arg "REVISION=$revision"
  name=$1
  shift 3
  [ -z "${CERTIFICATES:-}" ] || set -- "$@" --secret "id=certificates,src=$CERTIFICATES"
  if [ "$name" = bench ]; then
    context=images/bench
    set -- "$@" --file images/bench/Dockerfile
  else
    context=.
    set -- "$@" --file images/Dockerfile --target "$name"
  fi
  # Health checks are Docker's own: the other two leave them out of what is not in its format.
  case $builder in
    docker) DOCKER_BUILDKIT=1 docker build "$@" "$context" ;;
    podman) podman build --format docker "$@" "$context" ;;
    buildah) buildah build --format docker "$@" "$context" ;;
  esac
}

for image in ${IMAGES:-api worker bench}; do
  for platform in $PLATFORMS; do
    tag="$registry/$image:$version"
    [ "$platform" = "$native" ] || tag="$tag-$platform"
    echo "building $tag for $platform with $builder"
    build "$image" "$platform" "$tag"
    built="$built $tag"
  done
done

size() {
  case $builder in
    buildah) buildah images --format '{{.Size}}' "$1" ;;
    *) "$builder" image inspect --format '{{.Size}}' "$1" | awk '{ printf "%.0f MB\n", $1 / 1e6 }' ;;
  esac
}
for tag in $built; do
  printf '%-40s %s\n' "$tag" "$(size "$tag")"
done
