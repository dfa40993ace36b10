#!/bin/sh
# Brings the measuring image to the nodes that run it; what to set as the cluster's image is the one
# line on standard output.
#   push   to REGISTRY=registry.example/team, where the builder is logged in
#   save   into FILE=podmeter-bench.tar, to be imported on nodes that reach no registry
#   BUILDER=docker|podman|buildah, CERTIFICATES=FILE   for building it, which is done unless it is here
#   PLATFORM=arm64                                     the image for another architecture
set -eu
cd "$(dirname "$0")/.."
. images/builder.sh

tag=$version
[ "${PLATFORM:-$native}" = "$native" ] || tag=$version-$PLATFORM
here=docker.io/podmeter/bench:$tag
name=${REGISTRY:-docker.io/podmeter}/bench

has() { # IMAGE
  case $builder in
    docker) docker image inspect "$1" ;;
    *) "$builder" inspect --type image "$1" ;;
  esac >/dev/null 2>&1
}

digest_of_pushed() { # IMAGE
  case $builder in
    docker)
      docker push "$1" >&2
      docker image inspect --format '{{range .RepoDigests}}{{println .}}{{end}}' "$1" |
        sed -n "s|^${name#docker.io/}@||p" | tail -n 1
      ;;
    *)
      digests=$(mktemp)
      "$builder" push --digestfile "$digests" "$1" "docker://$1" >&2
      cat "$digests"
      rm "$digests"
      ;;
  esac
}

case ${1:-} in
  push) [ -n "${REGISTRY:-}" ] || fail "to which registry? REGISTRY=registry.example/team" ;;
  save) ;;
  *) fail "push or save?" ;;
esac
if ! has "$here"; then
  REGISTRY=docker.io/podmeter IMAGES=bench PLATFORMS=${PLATFORM:-$native} BUILDER=$builder \
    sh images/build.sh >&2
fi
[ "$here" = "$name:$tag" ] || "$builder" tag "$here" "$name:$tag"

if [ "$1" = push ]; then
  digest=$(digest_of_pushed "$name:$tag")
  [ -n "$digest" ] || fail "$builder did not tell the digest of what it pushed"
  echo "pushed; set this as the cluster's image (Clusters, Access), or as BENCH_IMAGE for all" \
    "clusters, and apply the cluster's manifest again:" >&2
  echo "$name:$tag@$digest"
else
  file=${FILE:-podmeter-bench.tar}
  rm -f "$file"
  case $builder in
    docker) docker save --output "$file" "$name:$tag" ;;
    podman) podman save --quiet --format docker-archive --output "$file" "$name:$tag" >&2 ;;
    buildah) buildah push --quiet "$name:$tag" "docker-archive:$file:$name:$tag" >&2 ;;
  esac
  cat >&2 <<END
wrote $file; on each node that is to measure (k3s: k3s ctr images import):

  ctr --namespace k8s.io images import $(basename "$file")

then this is the cluster's image, or BENCH_IMAGE:
END
  echo "$name:$tag"
fi
