#!/bin/sh
# power.sh DIRECTORY NAME NAMESPACE GROUP BOOT: keeps a machine on. When its process 1 ends, as at `reboot`, the next one is started, as
# the firmware of a computer does, until the file DIRECTORY/off exists.
directory=$1 name=$2 namespace=$3 group=$4 boot=$5
echo $$ >"$group/cgroup.procs"
while [ ! -e "$directory/off" ]; do
  nsenter --net="/run/netns/$namespace" \
    unshare --pid --fork --kill-child --mount --uts --ipc --cgroup sh "$boot" "$directory/root" "$name" &
  echo $! >"$directory/pid"
  date +%s.%N >>"$directory/boots"
  wait $!
done
