#!/bin/sh
# Answers git's questions "Username for ..." and "Password for ...". The token comes by the environment: argv is public on a host.
case "$1" in
Username*) printf '%s\n' "$LONGSHORE_GIT_USERNAME" ;;
*) printf '%s\n' "$LONGSHORE_GIT_TOKEN" ;;
esac
