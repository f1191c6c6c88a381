#!/bin/sh
# Makes this machine a host of Longshore: downloads Node and the runner, verifies both, and goes on in `longshore-host install`.
#
#   curl -fsSL <control plane>/install.sh | LONGSHORE_TOKEN=<token> sh -s -- --url <control plane>
#
# Needs root, and can be run again. LONGSHORE_NPM_REGISTRY: where Node is downloaded from.
set -eu

fail() {
  echo "error: $1" >&2
  exit 1
}

# $1: address, $2: file
download() {
  curl -fsSL --retry 3 --connect-timeout 20 -o "$2" "$1" || fail "$1 could not be downloaded."
}

# $1: sha256sum or sha512sum, $2: expected digest, $3: file
verify() {
  [ "$($1 "$3" | cut -d ' ' -f 1)" = "$2" ] || fail "A download is damaged: $3 is not what this script expects. Nothing was changed; try again."
}

# Whether all files of the release $1 are what its list says.
is_whole() {
  [ -s "$1/digests" ] && (cd "$1" && sha256sum --status --check digests) 2>/dev/null
}

# Gives the finished directory $1 its name $2. Both are on the disk before anything is done with it: a power cut right after the
# installation would otherwise leave empty files.
publish() {
  rm -rf "$2"
  sync -f "$1"
  mv "$1" "$2"
  sync -f "$2"
}

main() {
  url=
  previous=
  for argument in "$@"; do
    [ "$previous" != --url ] || url=${argument%/}
    previous=$argument
  done
  [ -n "$url" ] || fail "Give the address of the control plane: --url https://..."
  [ "$(id -u)" = 0 ] || fail "This needs root: become root (sudo -s), then run the same command again."
  [ "$(uname -s)" = Linux ] || fail "A host of Longshore runs Linux, not $(uname -s)."
  for tool in curl flock tar gzip sha256sum sha512sum sync; do
    command -v "$tool" >/dev/null || fail "$tool is not installed."
  done
  case $(uname -m) in
    x86_64) arch=x64 sha512=@NODE_SHA512_X64@ ;;
    aarch64) arch=arm64 sha512=@NODE_SHA512_ARM64@ ;;
    *) fail "Longshore runs on x86-64 and ARM64 processors, not on $(uname -m)." ;;
  esac

  home=${LONGSHORE_ROOT:-}/opt/longshore
  node=$home/node-@NODE_VERSION@
  release=$home/releases/@LONGSHORE_VERSION@-$(echo @HOST_SHA256@ | cut -c 1-12)
  mkdir -p "$home/releases"
  # `choose-release.sh` removes what an installation left that a reboot has ended: this one is at work as long as it has the lock.
  exec 9<"$home"
  flock --shared 9
  scratch=$(mktemp -d "$home/.installing-XXXXXX")
  trap 'rm -rf "$scratch"' EXIT

  if [ "$("$node/node" --version 2>/dev/null)" != "v@NODE_VERSION@" ]; then
    [ ! -e "$node" ] || echo "Node in $node is damaged, for example by a power cut: downloading it again"
    echo "downloading Node @NODE_VERSION@"
    package=node-linux-$arch
    registry=${LONGSHORE_NPM_REGISTRY:-@NPM_REGISTRY@}
    download "${registry%/}/$package/-/$package-@NODE_VERSION@.tgz" "$scratch/node.tgz"
    verify sha512sum "$sha512" "$scratch/node.tgz"
    mkdir "$scratch/node"
    tar -xzf "$scratch/node.tgz" -C "$scratch/node" --strip-components=2 package/bin/node
    publish "$scratch/node" "$node"
  fi
  if ! is_whole "$release"; then
    [ ! -e "$release" ] || echo "the release in $release is damaged, for example by a power cut: downloading it again"
    echo "downloading Longshore @LONGSHORE_VERSION@"
    download "$url/host/longshore-host.tgz" "$scratch/host.tgz"
    verify sha256sum @HOST_SHA256@ "$scratch/host.tgz"
    mkdir "$scratch/host"
    tar -xzf "$scratch/host.tgz" -C "$scratch/host" --no-same-owner
    ln -s "$node/node" "$scratch/host/node"
    chmod 755 "$scratch/host"
    is_whole "$scratch/host" || fail "The archive of the control plane does not contain what its list says. Nothing was changed."
    publish "$scratch/host" "$release"
  fi
  rm -rf "$scratch"
  "$node/node" "$release/host.mjs" install --root "${LONGSHORE_ROOT:-/}" "$@"
}

# The whole script is read before anything runs: a connection that breaks in the middle does nothing.
main "$@"
