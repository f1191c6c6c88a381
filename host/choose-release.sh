#!/bin/sh
# Runs before the runner and before `longshore-host`: makes sure that the current release is whole. After a power cut or on a failing disk
# its files may be damaged; then the newest whole release takes its place. Written by `longshore-host`; $1: its directory, /opt/longshore.
home=${1:?}

# $1: a release. `digests` lists all its files except the link to Node. An empty program would run as an empty script, and say nothing.
is_whole() {
  [ -s "$1/digests" ] && (cd "$1" && sha256sum --status --check digests) 2>/dev/null &&
    [ -n "$("$1/node" --version 2>/dev/null)" ]
}

# What an installation left that a power cut or a reboot has ended; one that is at work has the lock (install.sh).
flock --nonblock "$home" rm -rf "$home"/.installing-* 2>/dev/null

current=$(readlink "$home/current")
is_whole "$home/current/" && exit 0
for release in $(ls -dt "$home"/releases/*/); do
  release=${release%/}
  is_whole "$release" || continue
  ln -sfn "$release" "$home/current.new" && mv -T "$home/current.new" "$home/current" && sync -f "$home"
  echo "error: the release ${current##*/} is damaged; ${release##*/} runs instead. Repair: longshore-host upgrade" >&2
  exit 0
done
echo "error: the release ${current##*/} is damaged, and there is no other. Repair: run the installation command again (docs/operate/hosts.md)." >&2
exit 1
