#!/bin/sh
# power.sh DIRECTORY NAME NAMESPACE GROUP BOOT BRIDGE: keeps a machine on. When its process 1 ends, as at `reboot`, the next one is started, as
# the firmware of a computer does, until the file DIRECTORY/off exists.
directory=$1 name=$2 namespace=$3 group=$4 boot=$5 bridge=$6
echo $$ >"$group/cgroup.procs"
echo $$ >"$directory/power"
while [ ! -e "$directory/off" ]; do
  # A network of its own for each boot: what the kernel was told about addresses, ports and rules ends with the machine.
  ip netns delete "$namespace" 2>/dev/null
  ip link delete "$namespace" 2>/dev/null
  ip netns add "$namespace"
  ip link add "$namespace" type veth peer name eth0 netns "$namespace"
  ip link set "$namespace" master "$bridge" up
  nsenter --net="/run/netns/$namespace" \
    unshare --pid --fork --kill-child --mount --uts --ipc --cgroup sh "$boot" "$directory/root" "$name" &
  echo $! >"$directory/pid"
  date +%s.%N >>"$directory/boots"
  wait $!
done
