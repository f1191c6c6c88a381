#!/bin/bash
# Contract of the official image: MONGO_INITDB_ROOT_USERNAME and MONGO_INITDB_ROOT_PASSWORD (each also as _FILE), the data in /data/db,
# which belongs to the user mongodb. MONGO_INITDB_DATABASE needs nothing: a database is there when something is written to it.
set -eo pipefail

[ "${1:0:1}" = - ] && set -- mongod "$@"
[ "${1:-}" = mongod ] || exec "$@"

if [ "$(id -u)" = 0 ]; then
  find /data/db \! -user mongodb -exec chown mongodb '{}' +
  exec gosu mongodb "$0" "$@"
fi

value_of() {
  local wanted=$1
  shift
  while [ $# -gt 0 ]; do
    if [ "$1" = "$wanted" ]; then echo "${2:-}"; return; fi
    shift
  done
}
GATEWAY_REPLICA_SET=$(value_of --replSet "$@")
key=$(value_of --keyFile "$@")
export GATEWAY_REPLICA_SET
refuse() { echo "{\"s\":\"F\",\"msg\":\"$1\"}" >&2; exit 1; }

for name in MONGO_INITDB_ROOT_USERNAME MONGO_INITDB_ROOT_PASSWORD; do
  file="${name}_FILE"
  if [ -n "${!file:-}" ]; then printf -v "$name" %s "$(cat "${!file}")"; fi
done
user=${MONGO_INITDB_ROOT_USERNAME:-}
password=${MONGO_INITDB_ROOT_PASSWORD:-}
unset "${!MONGO_INITDB_@}"

gateway=/usr/local/lib/mongo-gateway
# The start that was cut off leaves this one behind, and no data.
unfinished=/data/db/unfinished
data=/data/db/data
first=

if [ ! -d "$data" ]; then
  if [ "${user:+given}" != "${password:+given}" ]; then
    echo 'error: both MONGO_INITDB_ROOT_USERNAME and MONGO_INITDB_ROOT_PASSWORD must be specified for a user to be created' >&2
    exit 1
  fi
  first=yes
  rm -rf "$unfinished"
  initdb -D "$unfinished" -U mongodb --auth-local=trust --auth-host=trust --locale=C.UTF-8 > /dev/null
  cat "$gateway/postgresql.conf" >> "$unfinished/postgresql.conf"
  pg_ctl -D "$unfinished" -w start > /dev/null
  psql -qd postgres -c 'SET client_min_messages = error' -c 'CREATE EXTENSION documentdb CASCADE'
  GATEWAY_USER=$user GATEWAY_PASSWORD=$password node "$gateway/first-user.ts"
  pg_ctl -D "$unfinished" -m fast -w stop > /dev/null
  mv "$unfinished" "$data"
fi

# mongod reads its key after the image has made the root user.
if [ -n "$GATEWAY_REPLICA_SET" ] && [ -n "$user" ] && [ -z "$key" ]; then refuse 'security.keyFile is required when authorization is enabled with replica sets'; fi
if [ -n "$key" ]; then
  [ -r "$key" ] || refuse "error opening file: $key: bad file"
  case $(stat -c %a "$key") in ?00) ;; *) refuse "permissions on $key are too open" ;; esac
  size=$(tr -d '[:space:]' < "$key" | wc -c)
  if [ "$size" -lt 6 ] || [ "$size" -gt 1024 ]; then refuse "security key in $key has length $size, must be between 6 and 1024 chars"; fi
fi

# One container at a time has the volume; the number in there may be that of another process now.
rm -f "$data/postmaster.pid"
postgres -D "$data" &
server=$!
until pg_isready -q; do
  kill -0 "$server"
  sleep 0.1
done
node "$gateway/main.ts" &
clients=$!

stop() {
  trap - TERM INT
  kill "$clients" 2> /dev/null || true
  wait "$clients" || true
  kill -INT "$server" 2> /dev/null || true
  wait "$server" || true
  exit "$1"
}
trap 'stop 0' TERM INT
# One of the two has ended by itself: neither serves alone.
wait -n || true
stop 1
