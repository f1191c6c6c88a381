#!/bin/bash
# Contract of the official image: POSTGRES_USER, POSTGRES_PASSWORD, POSTGRES_DB (each also as _FILE), POSTGRES_INITDB_ARGS,
# POSTGRES_HOST_AUTH_METHOD, PGDATA, /docker-entrypoint-initdb.d; the server runs as the user postgres.
set -eo pipefail

from_file() {
  local name=$1 file="$1_FILE"
  if [ -n "${!file:-}" ]; then
    printf -v "$name" %s "$(cat "${!file}")"
    export "${name?}"
  fi
}

[ "${1:0:1}" = - ] && set -- postgres "$@"
[ "${1:-}" = postgres ] || exec "$@"

if [ "$(id -u)" = 0 ]; then
  mkdir -p "$PGDATA" /var/run/postgresql
  chmod 700 "$PGDATA"
  find "$PGDATA" /var/run/postgresql \! -user postgres -exec chown postgres '{}' +
  exec gosu postgres "$0" "$@"
fi

for name in POSTGRES_PASSWORD POSTGRES_USER POSTGRES_DB; do from_file "$name"; done
user=${POSTGRES_USER:-postgres}
database=${POSTGRES_DB:-$user}

run_sql() { psql -v ON_ERROR_STOP=1 --no-psqlrc -qAt -U "$user" "$@"; }

run_init_files() {
  local file
  for file in /docker-entrypoint-initdb.d/*; do
    case "$file" in
      *.sh) if [ -x "$file" ]; then "$file"; else . "$file"; fi ;;
      *.sql) run_sql -d "$database" -f "$file" ;;
    esac
  done
}

if [ ! -s "$PGDATA/PG_VERSION" ]; then
  if [ -z "${POSTGRES_PASSWORD:-}" ] && [ "${POSTGRES_HOST_AUTH_METHOD:-}" != trust ]; then
    echo 'Error: Database is uninitialized and superuser password is not specified.' >&2
    exit 1
  fi
  initdb -U "$user" --pwfile=<(printf '%s\n' "${POSTGRES_PASSWORD:-}") ${POSTGRES_INITDB_ARGS:-} \
    --auth-local=trust --auth-host=scram-sha-256 > /dev/null
  echo "host all all all ${POSTGRES_HOST_AUTH_METHOD:-scram-sha-256}" >> "$PGDATA/pg_hba.conf"
  # Not over TCP yet: who connects now would see a database that is about to restart.
  options=$([ $# -gt 1 ] && printf '%q ' "${@:2}" || true)
  pg_ctl -D "$PGDATA" -o "$options -c listen_addresses=''" -w start > /dev/null
  for extension in ${POSTGRES_STANDIN_EXTENSIONS:-}; do
    run_sql -d template1 -v name="$extension" <<< 'CREATE EXTENSION IF NOT EXISTS :"name"'
    run_sql -d postgres -v name="$extension" <<< 'CREATE EXTENSION IF NOT EXISTS :"name"'
  done
  if [ "$database" != postgres ]; then run_sql -d postgres -v name="$database" <<< 'CREATE DATABASE :"name"'; fi
  run_init_files
  pg_ctl -D "$PGDATA" -m fast -w stop > /dev/null
  echo 'PostgreSQL init process complete; ready for start up.'
fi

exec "$@"
