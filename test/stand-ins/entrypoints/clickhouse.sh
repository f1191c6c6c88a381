#!/bin/bash
# Contract of the official image: CLICKHOUSE_USER, CLICKHOUSE_PASSWORD (also as _FILE), CLICKHOUSE_DB,
# CLICKHOUSE_DEFAULT_ACCESS_MANAGEMENT, read at every start; *.sql of /docker-entrypoint-initdb.d on the first one.
# The server runs as the user clickhouse.
set -eo pipefail
shopt -s nullglob

[ $# -gt 0 ] && [ "${1:0:2}" != -- ] && exec "$@"

data=/var/lib/clickhouse
settings=/etc/clickhouse-server
if [ "$(id -u)" = 0 ]; then
  find "$data" "$settings" \! -user clickhouse -exec chown clickhouse '{}' +
  exec gosu clickhouse "$0" "$@"
fi

user=${CLICKHOUSE_USER:-default}
password=${CLICKHOUSE_PASSWORD:-}
if [ -n "${CLICKHOUSE_PASSWORD_FILE:-}" ]; then password=$(cat "$CLICKHOUSE_PASSWORD_FILE"); fi
if [ "$user" = default ]; then
  echo 'This stand-in keeps the user "default" for itself: set CLICKHOUSE_USER to another name' >&2
  exit 1
fi
# As in the official image the name is an element's, so it has to be an XML name.
if ! [[ "$user" =~ ^[A-Za-z_][A-Za-z0-9_.-]*$ ]]; then
  echo 'CLICKHOUSE_USER must be a letter or "_", then letters, digits, "_", "." and "-"' >&2
  exit 1
fi
if [[ "${CLICKHOUSE_DEFAULT_ACCESS_MANAGEMENT:-0}" != [01] ]]; then
  echo 'CLICKHOUSE_DEFAULT_ACCESS_MANAGEMENT must be 0 or 1' >&2
  exit 1
fi

user_xml() {
  echo "<$1>$2<networks>$3</networks><profile>default</profile><quota>default</quota><access_management>$4</access_management></$1>"
}

# The session that starts the servers is "default" without a password: nobody outside the container can be it.
umask 077
{
  hash=$(printf %s "$password" | sha256sum | cut -d' ' -f1)
  echo '<clickhouse><profiles><default/></profiles><quotas><default/></quotas><users>'
  user_xml default '<password/>' '<ip>127.0.0.1</ip>' 1
  user_xml "$user" "<password_sha256_hex>$hash</password_sha256_hex>" '<ip>::/0</ip>' "${CLICKHOUSE_DEFAULT_ACCESS_MANAGEMENT:-0}"
  echo '</users></clickhouse>'
} > "$settings/users.xml"

statements=
if [ -n "${CLICKHOUSE_DB:-}" ]; then
  name=${CLICKHOUSE_DB//\\/\\\\}
  statements="CREATE DATABASE IF NOT EXISTS \`${name//\`/\\\`}\`;"
fi
if [ ! -e "$data/.initialised" ]; then
  for file in /docker-entrypoint-initdb.d/*.sql; do statements+=" $(cat "$file");"; done
  statements+=" SELECT 1 INTO OUTFILE '$data/.initialised';"
fi
# Clients are let in when the databases are there; the last statement lasts until the launcher is told to end.
statements+=" SYSTEM START LISTEN TCP; SYSTEM START LISTEN HTTP; SELECT * FROM file('-', LineAsString) FORMAT Null"

unset CLICKHOUSE_PASSWORD
exec clickhouse-launcher --config-file "$settings/config.xml" --path "$data" --query "$statements"
