#!/bin/bash
# Options and configuration files go to redis-server, which steps down to the user redis, as in the official image.
set -e
case "${1:-}" in -* | *.conf) set -- redis-server "$@" ;; esac
if [ "$1" = redis-server ]; then
  # Behind Docker every client comes from another address; who may connect is the password's business.
  case " $* " in *" --protected-mode "*) ;; *) set -- "$@" --protected-mode no ;; esac
  if [ "$(id -u)" = 0 ]; then
    find . \! -user redis -exec chown redis '{}' +
    exec gosu redis "$@"
  fi
fi
exec "$@"
