/** A new user without a clone: the packages as npm packs them, installed into an empty folder; an instance, an app, and all of it removed. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { makePackage } from '../../cli/package.ts';
import { makeRunnerPackage, makeServerPackage } from '../../local/package/make-package.ts';
import { freePorts } from '../support/free-ports.ts';
import { keepOrCompare, runExample } from '../support/instance/example-session.ts';
import { webApp } from '../support/instance/repository.ts';
import { npmRegistry } from '../support/npm-registry.ts';

const run = promisify(execFile);
let directory: string;
let folder: string;
let tarballs: string[];
/** Packages need no Node of the project: the machine's own starts them. */
const env = () => ({ PATH: '/usr/bin:/bin:/usr/sbin:/sbin', HOME: directory });
const longshore = async (...args: string[]) => {
  const { stdout, stderr } = await run('node', ['node_modules/.bin/longshore', ...args], {
    cwd: folder,
    env: env(),
  });
  return { stdout: stdout.trim(), stderr };
};

/** A line of the reference of the command line, with the installed program. */
const example = (line: string) =>
  runExample(line, {
    cwd: folder,
    env: { ...env(), NODE: 'node', PROGRAM: join(folder, 'node_modules/.bin/longshore') },
  });

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'longshore-packages-'));
  folder = join(directory, 'app');
  await mkdir(folder);
  const server = await makeServerPackage(join(directory, 'server'));
  const made = [
    await makePackage(join(directory, 'cli')),
    server,
    await makeRunnerPackage(join(server, 'worker/files'), join(directory, 'runner')),
  ];
  tarballs = await Promise.all(
    made.map(async (one) => {
      const { stdout } = await run('npm', ['pack', one, '--pack-destination', directory, '--silent']);
      return join(directory, stdout.trim());
    }),
  );
  await writeFile(join(folder, 'package.json'), '{"private":true}');
  const install = ['install', '--prefer-offline', '--no-audit', '--no-fund', ...tarballs];
  await run('npm', install, { cwd: folder });
  for (const [path, text] of Object.entries(webApp('from npm'))) await writeFile(join(folder, path), text);
}, 240_000);
afterAll(async () => {
  await longshore('server', 'stop', '--purge').catch(() => {});
  await rm(directory, { recursive: true, force: true });
});

test('the packages are small, and need nothing else than packages of npm', async () => {
  const sizes = await Promise.all(tarballs.map(async (path) => (await stat(path)).size));
  expect(sizes.map((bytes) => bytes < 8e6)).toEqual([true, true, true]);
  const lock = JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8'));
  const others = Object.entries<{ resolved?: string }>(lock.packages).filter(
    ([path]) => !/^$|longshore/.test(path),
  );
  const { stdout: registry } = await run('npm', ['config', 'get', 'registry']);
  const isElsewhere = (resolved?: string) => resolved !== undefined && !resolved.startsWith(registry.trim());
  expect(others.filter(([, { resolved }]) => isElsewhere(resolved))).toEqual([]);
  const { stdout: help } = await run('node', ['node_modules/.bin/longshore-runner', '--help'], {
    ...{ cwd: folder, env: env() },
  }).catch((error: { stdout: string; stderr: string }) => ({ stdout: error.stdout + error.stderr }));
  expect(help).toContain('enroll');
});

/** A new user's day as a script of CI: the first command that fails ends it. */
const day = `
set -euo pipefail
longshore() { node node_modules/.bin/longshore "$@"; }
printf %s "$KEY" | longshore login "$URL" --stdin
longshore up -y -s shop/web
longshore db create db -p shop --engine postgres
longshore env set 'DATABASE_URL=\${db.DATABASE_URL}' GREETING=hello
longshore restart --wait
longshore run -- sh -c 'test -n "$DATABASE_URL"'
test "$(longshore db query -s db --json 'select 6 * 7 as n' | node -p 'JSON.parse(fs.readFileSync(0)).rows[0].n')" = 42
curl -fs "$(longshore ps --json | node -p 'JSON.parse(fs.readFileSync(0)).services.find((one) => one.slug === "web").localUrl')" | grep hello
cp Dockerfile Dockerfile.good
printf 'FROM node:24-slim\nWORKDIR /app\nCOPY . .\nRUN npm ci\n' > Dockerfile
printf '{"name":"web","lockfileVersion":3,"packages":{"":{}}}' > package-lock.json
mkdir lib
echo '{"name":"lib","version":"1.0.0"}' > lib/package.json
mv package.json package.json.own
echo '{"name":"web","dependencies":{"lib":"file:lib"}}' > package.json
if longshore up 2> failed.txt; then exit 8; else test $? = 1; fi
cat failed.txt
longshore logs | grep 'npm error'
mv package.json.own package.json
mv Dockerfile.good Dockerfile
rm -r package-lock.json lib
echo '// second version' >> server.js
longshore up
longshore rollback --wait
node node_modules/.bin/longshore logs -f > running.txt & follower=$!
until grep -q listening running.txt; do sleep 0.2; done
kill -INT $follower
wait $follower || test $? = 130
longshore down --all -y
test "$(longshore ps --json | node -p 'JSON.parse(fs.readFileSync(0)).services.length')" = 0
`;

test('npx starts an instance with its example in an empty folder, as npm start does in a clone', async () => {
  const registry = await npmRegistry(tarballs);
  onTestFinished(registry.end);
  const home = join(directory, 'home');
  const empty = join(home, 'empty');
  await mkdir(empty, { recursive: true });
  const npx = (...args: string[]) =>
    run('npx', ['--yes', 'longshore', ...args], {
      cwd: empty,
      env: { ...env(), HOME: home, npm_config_registry: registry.url },
    });
  const [port, http, https] = await freePorts(3);
  const ports = [`--port=${port}`, `--http-port=${http}`, `--https-port=${https}`];
  const started = await npx('start', '--detach', ...ports);
  try {
    expect(started.stderr).toMatch(/Running @longshore\/server@.* by npx.* downloads about 100 MB/);
    expect(started.stdout).toContain('Longshore is ready');
    expect(started.stdout).toContain('  npx longshore up');
    const [, app = ''] = /App {3}(http:\S+)/.exec(started.stdout) ?? [];
    expect((await fetch(app)).status).toBe(200);
    expect(JSON.parse((await npx('ps', '--json')).stdout).services).toHaveLength(1);
    // What npm has installed is upgraded by npm.
    const { operatorToken } = JSON.parse(await readFile(join(empty, '.longshore/local.json'), 'utf8'));
    const reply = await fetch(`http://127.0.0.1:${port}/api/system/runners`, {
      headers: { authorization: `Bearer ${operatorToken}` },
    });
    const { runners } = (await reply.json()) as { runners: { facts: object }[] };
    expect(runners[0]?.facts).toMatchObject({ takesUpgrades: false, release: null });
    const modules = join(home, '.npm/_npx');
    const { stdout: megabytes } = await run('du', ['-sm', modules]);
    expect(Number.parseInt(megabytes, 10)).toBeLessThan(290);
  } finally {
    await npx('server', 'stop', '--purge');
  }
}, 240_000);

test('an instance starts, an app goes from the folder to a URL without a login, and all of it is removed', async () => {
  const [port, http, https] = await freePorts(3);
  // Where the machine has no Caddy, the example does not show how it is unpacked.
  const tools = join(directory, 'home/empty/.longshore/tools');
  if (existsSync(tools)) await cp(tools, join(folder, '.longshore/tools'), { recursive: true });
  const started = await example(
    `longshore server start -d --port ${port} --http-port ${http} --https-port ${https}`,
  );
  expect(started.whole).toContain('Longshore is ready');
  expect(started.whole).toContain('Stop: longshore server stop');
  await longshore('up', '-y', '-s', 'shop/web');
  const { services } = JSON.parse((await longshore('ps', '--json')).stdout);
  expect(await (await fetch(services[0].localUrl)).text()).toContain('from npm');
  const guide = await fetch(`http://127.0.0.1:${port}/docs/guide/command-line.md`);
  expect(await guide.text()).toContain('longshore start');
  await longshore('down', '--all', '-y');
  const { apiKey: KEY } = JSON.parse(await readFile(join(folder, '.longshore/local.json'), 'utf8'));
  const URL = `http://127.0.0.1:${port}`;
  const { stdout, stderr } = await run('bash', ['-c', day], {
    ...{ cwd: folder, timeout: 240_000 },
    env: { ...env(), KEY, URL },
  });
  expect(stdout, stderr).toContain('What happened: package.json and the lock file do not match.');
  expect(stdout).toMatch(/\n {2}npm install\n {2}longshore up\n/);
  expect(stdout).toContain(
    'The previous version keeps serving. Its log: longshore logs shop/web --deployment',
  );
  const stopped = await example('longshore server stop --purge');
  expect(stopped.whole).toContain('images removed');
  const [, volume = ''] = /docker volume rm (\S+)/.exec(stopped.whole) ?? [];
  await run('docker', ['volume', 'rm', volume]);
  const shown = ({ whole: _, ...shown }: Awaited<ReturnType<typeof example>>) => shown;
  await keepOrCompare({
    'server start': { ...shown(started), line: 'longshore server start -d' },
    'server stop': shown(stopped),
  });
}, 480_000);
