#!/bin/sh
# Installs the command line of Longshore, in the version of the control plane that serves this script.
#
#   curl -fsSL <control plane>/cli.sh | sh -s -- <control plane>
#
# Without an argument, LONGSHORE_URL is the address. Needs Node 20.12 or newer, and no root. LONGSHORE_BIN: the folder of the command;
# otherwise ~/.local/bin, and /usr/local/bin for root.
set -eu

fail() {
  echo "error: $1" >&2
  exit 1
}

main() {
  url=${1:-${LONGSHORE_URL:-}}
  url=${url%/}
  [ -n "$url" ] || fail "Give the address of the control plane: sh -s -- https://..., or set LONGSHORE_URL."
  for tool in curl node; do
    command -v "$tool" >/dev/null || fail "$tool is not installed."
  done
  node -e 'const [major, minor] = process.versions.node.split("."); process.exit(major * 100 + Number(minor) >= 2012 ? 0 : 1)' ||
    fail "The command line needs Node 20.12 or newer, and this is Node $(node --version)."
  if [ "$(id -u)" = 0 ]; then bin=/usr/local/bin; else bin=${HOME:-}/.local/bin; fi
  bin=${LONGSHORE_BIN:-$bin}
  mkdir -p "$bin" || fail "The folder $bin can't be created. LONGSHORE_BIN chooses another one."
  scratch=$(mktemp -d "$bin/.longshore-XXXXXX") || fail "Nothing can be written into $bin. LONGSHORE_BIN chooses another folder."
  trap 'rm -rf "$scratch"' EXIT

  curl -fsSL --retry 3 --connect-timeout 20 -o "$scratch/longshore" "$url/cli/longshore.mjs" ||
    fail "$url/cli/longshore.mjs could not be downloaded."
  # Node computes the digest: sha256sum has another name on some systems.
  digest=$(node -e 'process.stdout.write(require("crypto").createHash("sha256").update(require("fs").readFileSync(process.argv[1])).digest("hex"))' "$scratch/longshore")
  [ "$digest" = @CLI_SHA256@ ] || fail "The download is damaged or of another version. Nothing was changed; try again."
  chmod 755 "$scratch/longshore"
  mv -f "$scratch/longshore" "$bin/longshore"
  echo "longshore @LONGSHORE_VERSION@ is installed as $bin/longshore"

  # The next steps of a workflow of GitHub, Gitea or Forgejo find the command.
  [ -z "${GITHUB_PATH:-}" ] || echo "$bin" >>"$GITHUB_PATH"
  case ":$PATH:" in
    *":$bin:"*) ;;
    *) echo "Your shell does not look there yet: export PATH=\"$bin:\$PATH\"" ;;
  esac
  [ -n "${LONGSHORE_KEY:-}" ] || echo "Next: longshore login $url"
}

# The whole script is read before anything runs: a connection that breaks in the middle does nothing.
main "$@"
