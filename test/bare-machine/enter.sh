#!/usr/bin/env bash
# Starts the bare machine: joins its control groups, makes its namespaces and runs boot.sh in them as process 1.
# CONTROL_GROUPS holds their directories. Usage: enter.sh ROOT COMMAND [ARGUMENT...]
set -euo pipefail
boot=$(dirname "$(readlink -f "$0")")/boot.sh

# The cgroup namespace shows the groups joined here as the top ones.
for group in $CONTROL_GROUPS; do echo 0 >"$group/cgroup.procs"; done
exec unshare --mount --pid --fork --kill-child --net --uts --ipc --cgroup bash "$boot" "$@"
