#!/usr/bin/env bash
# Process 1 of the bare machine, in its own namespaces. It mounts what a booted Debian has mounted, makes ROOT the root
# directory and runs COMMAND there. When COMMAND ends, the kernel ends every other process of the machine and removes
# the mounts. Usage: boot.sh ROOT COMMAND [ARGUMENT...]
set -euo pipefail
root=$1
shift

mount_kernel_files() {
  mount -t proc proc proc
  echo bare-machine >proc/sys/kernel/hostname
  # The kernel's settings are the host's too, except those of the network.
  mount --bind proc/sys proc/sys
  mount -o remount,bind,ro proc/sys
  mount --bind proc/sys/net proc/sys/net
  mount -o remount,bind,rw proc/sys/net
  mount -t sysfs -o ro,nosuid,nodev,noexec sysfs sys
  mount -t tmpfs -o mode=755,nosuid,nodev tmpfs run
}

mount_devices() {
  mount -t tmpfs -o mode=755,nosuid tmpfs dev
  cp -a /dev/null /dev/zero /dev/full /dev/random /dev/urandom /dev/tty dev/
  mkdir dev/pts dev/shm dev/mqueue
  mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts dev/pts
  mount -t tmpfs -o mode=1777,nosuid,nodev tmpfs dev/shm
  mount -t mqueue mqueue dev/mqueue
  ln -s pts/ptmx dev/ptmx
  ln -s /proc/self/fd dev/fd
  ln -s fd/0 dev/stdin
  ln -s fd/1 dev/stdout
  ln -s fd/2 dev/stderr
}

# The same hierarchies as on the host; each begins at the group that enter.sh has joined.
mount_control_groups() {
  local controllers name groups=sys/fs/cgroup
  if ! grep -qv '^0::' /proc/self/cgroup; then
    mount -t cgroup2 -o nosuid,nodev,noexec cgroup2 $groups
    # Docker's groups get the controllers too.
    sed 's/[^ ]\+/+&/g' $groups/cgroup.controllers >$groups/cgroup.subtree_control
    return
  fi
  mount -t tmpfs -o mode=755,nosuid,nodev,noexec tmpfs $groups
  while IFS=: read -r _ controllers _; do
    name=${controllers#name=}
    mkdir "$groups/${name:-unified}"
    case $controllers in
      '') mount -t cgroup2 cgroup2 $groups/unified ;;
      name=*) mount -t cgroup -o "none,$controllers" cgroup "$groups/$name" ;;
      *) mount -t cgroup -o "$controllers" cgroup "$groups/$name" ;;
    esac
  done </proc/self/cgroup
}

wait_for_network() {
  for _ in {1..100}; do
    if grep -q '^tap0[[:space:]]00000000' proc/net/route; then return; fi
    sleep 0.1
  done
  echo 'error: the bare machine got no network within 10 s' >&2
  exit 1
}

# pivot_root takes mount points only.
mount --bind "$root" "$root"
cd "$root"
mount_kernel_files
mount_devices
mount_control_groups
wait_for_network
mkdir .host
pivot_root . .host
cd /
umount --lazy /.host
rmdir /.host
exec "$@"
