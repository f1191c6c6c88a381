#!/bin/sh
# Answers git's questions "Username for 'https://host': " and "Password for 'https://user@host': ", for one host only.
# The token comes by the environment: argv is public on a host.
case "$1" in
Username*"//$LONGSHORE_GIT_HOST'"*) printf '%s\n' "$LONGSHORE_GIT_USERNAME" ;;
Password*"@$LONGSHORE_GIT_HOST'"*) printf '%s\n' "$LONGSHORE_GIT_TOKEN" ;;
*) exit 1 ;;
esac
