#!/usr/bin/env bash
# What the README promises of `npm start` and `npm stop -- --purge`. Runs in the bare machine, in the clone.
set -euo pipefail

npm start -- --detach | tee /tmp/start.out
app=$(sed -n 's/^ *App *\(http[^ ]*\).*/\1/p' /tmp/start.out)
node -e '
  fetch(process.argv[1]).then(async (answer) => {
    console.log(`${process.argv[1]} answers ${answer.status}`);
    process.exitCode = answer.ok && (await answer.text()) !== "" ? 0 : 1;
  });
' "$app"

npm stop -- --purge
# The client of Docker is a package of its own in new releases.
left=$(node -e '
  const ask = { socketPath: "/var/run/docker.sock", path: "/containers/json?all=true" };
  require("http").get(ask, async (answer) => {
    for (const { Names } of JSON.parse((await answer.toArray()).join(""))) console.log(Names[0]);
  });
')
if [ -n "$left" ]; then
  echo "error: npm stop -- --purge has left containers: $left" >&2
  exit 1
fi
if node -e 'fetch(process.argv[1]).catch(() => process.exit(1))' "$app"; then
  echo "error: after npm stop -- --purge, $app still answers" >&2
  exit 1
fi
