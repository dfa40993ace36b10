#!/bin/sh
# Writes what docker-compose.yml needs and nobody else may know: fresh secrets in .secrets, a file
# each, and .env, which says where they are. What is there already is kept.
set -eu
cd "$(dirname "$0")/.."
umask 077

random() { head -c 24 /dev/urandom | od -An -v -tx1 | tr -d ' \n'; }

if [ -e .secrets ]; then
  echo "kept the secrets that are in .secrets"
else
  new=.secrets.new
  rm -rf "$new"
  mkdir "$new"
  postgres=$(random) redis=$(random)
  printf '%s\n' "$postgres" >"$new/postgres_password"
  printf 'postgresql://podmeter:%s@postgres:5432/podmeter\n' "$postgres" >"$new/database_url"
  printf 'requirepass %s\n' "$redis" >"$new/redis_conf"
  printf 'redis://:%s@redis:6379/0\n' "$redis" >"$new/redis_url"
  head -c 32 /dev/urandom | base64 >"$new/encryption_keys"
  random >"$new/admin_password"
  # A container reads them by a user of its own; nobody else gets through the folder (mode 700).
  chmod 444 "$new"/*
  mv "$new" .secrets
  echo "wrote fresh secrets into .secrets; back up .secrets/encryption_keys: without it, registered" \
    "kubeconfigs cannot be read again"
fi

if ! grep -q '^PODMETER_SECRETS=' .env 2>/dev/null; then
  cat >>.env <<'END'
# Where docker-compose.yml finds its secrets. Settings of .env.example can be added below.
PODMETER_SECRETS=.secrets
BENCH_IMAGE=docker.io/podmeter/bench:0.1.0
END
  echo "wrote .env"
fi
echo "next: docker compose up --detach --wait; log in as admin@localhost with the password in .secrets/admin_password"
