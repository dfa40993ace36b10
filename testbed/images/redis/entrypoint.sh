#!/bin/sh
# Owns its folder as root, continues as redis.
set -eu
if [ "$(id -u)" = 0 ]; then
  chown -R redis /data
  exec setpriv --reuid=redis --regid=redis --clear-groups "$0" "$@"
fi
exec "$@"
