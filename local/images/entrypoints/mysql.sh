#!/bin/bash
# Contract of the official image: MYSQL_ROOT_PASSWORD or MYSQL_ALLOW_EMPTY_PASSWORD, MYSQL_DATABASE, MYSQL_USER, MYSQL_PASSWORD
# (each also as _FILE), /docker-entrypoint-initdb.d; the server runs as the user mysql.
set -eo pipefail

for name in MYSQL_ROOT_PASSWORD MYSQL_DATABASE MYSQL_USER MYSQL_PASSWORD; do
  file="${name}_FILE"
  if [ -n "${!file:-}" ]; then printf -v "$name" %s "$(cat "${!file}")"; fi
done

[ "${1:0:1}" = - ] && set -- mysqld "$@"
[ "${1:-}" = mysqld ] || exec "$@"

if [ "$(id -u)" = 0 ]; then
  find /var/lib/mysql /var/run/mysqld \! -user mysql -exec chown mysql '{}' +
  exec gosu mysql "$0" "$@"
fi

socket=/tmp/init.sock
string() { printf %s "$1" | sed "s/\\\\/\\\\\\\\/g; s/'/''/g"; }
identifier() { printf %s "$1" | sed 's/`/``/g'; }

users_sql() {
  echo "ALTER USER 'root'@'localhost' IDENTIFIED BY '$(string "${MYSQL_ROOT_PASSWORD:-}")';"
  echo "CREATE USER 'root'@'%' IDENTIFIED BY '$(string "${MYSQL_ROOT_PASSWORD:-}")';"
  echo "GRANT ALL ON *.* TO 'root'@'%' WITH GRANT OPTION;"
  if [ -n "${MYSQL_DATABASE:-}" ]; then echo "CREATE DATABASE IF NOT EXISTS \`$(identifier "$MYSQL_DATABASE")\`;"; fi
  if [ -n "${MYSQL_USER:-}" ] && [ -n "${MYSQL_PASSWORD:-}" ]; then
    echo "CREATE USER '$(string "$MYSQL_USER")'@'%' IDENTIFIED BY '$(string "$MYSQL_PASSWORD")';"
    if [ -n "${MYSQL_DATABASE:-}" ]; then
      # In a grant an underscore would stand for any character.
      echo "GRANT ALL ON \`$(identifier "${MYSQL_DATABASE//_/\\_}")\`.* TO '$(string "$MYSQL_USER")'@'%';"
    fi
  fi
}

run_init_files() {
  local file
  local -a client=(mysql -uroot --socket="$socket")
  [ -n "${MYSQL_DATABASE:-}" ] && client+=(-D "$MYSQL_DATABASE")
  export MYSQL_PWD=${MYSQL_ROOT_PASSWORD:-}
  for file in /docker-entrypoint-initdb.d/*; do
    case "$file" in
      *.sh) . "$file" ;;
      *.sql) "${client[@]}" < "$file" ;;
    esac
  done
  unset MYSQL_PWD
}

if [ ! -d /var/lib/mysql/mysql ]; then
  if [ -z "${MYSQL_ROOT_PASSWORD:-}" ] && [ -z "${MYSQL_ALLOW_EMPTY_PASSWORD:-}" ]; then
    echo 'Database is uninitialized and password option is not specified' >&2
    exit 1
  fi
  mysqld --initialize-insecure "${@:2}" --log-error-verbosity=1
  # Not over TCP yet: who connects now would see a database that is about to restart.
  mysqld "${@:2}" --skip-networking --mysqlx=OFF --socket="$socket" --log-error-verbosity=1 &
  server=$!
  for _ in $(seq 600); do
    mysql -uroot --socket="$socket" -e 'SELECT 1' > /dev/null 2>&1 && break
    sleep 0.1
  done
  users_sql | mysql -uroot --socket="$socket"
  run_init_files
  kill "$server"
  wait "$server" || true
  echo 'MySQL init process done. Ready for start up.'
fi

exec "$@"
