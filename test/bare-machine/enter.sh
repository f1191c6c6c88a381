#!/usr/bin/env bash
# Starts the bare machine: joins its control groups, makes its namespaces and runs boot.sh in them as process 1.
# CONTROL_GROUPS holds their directories. Usage: enter.sh ROOT COMMAND [ARGUMENT...]
set -euo pipefail
boot=$(dirname "$(readlink -f "$0")")/boot.sh

for group in $CONTROL_GROUPS; do echo 0 >"$group/cgroup.procs"; done
# The cgroup namespace shows the groups joined so far as the top ones.
exec unshare --cgroup bash -euc '
  # Version 2 hands controllers on only from a group that holds no process.
  for group in $CONTROL_GROUPS; do
    if [ -e "$group/cgroup.controllers" ]; then
      mkdir "$group/init"
      echo 0 >"$group/init/cgroup.procs"
    fi
  done
  exec unshare --mount --pid --fork --kill-child --net --uts --ipc bash "$@"
' enter "$boot" "$@"
