/**
 * The session of which the reference of the command line shows commands, outputs and times: a new user's day with one app, from login to
 * teardown, by a real control plane and real hosts. `npm run cli:examples` records it again.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundle } from '../../../cli/bundle.ts';
import type { Examples } from '../../../cli/reference/recorded-session.ts';
import {
  connectSimulated,
  enrolSimulated,
  type SimulatedRunner,
} from '../../bench/support/simulated-runner.ts';
import { keepOrCompare, runExample } from '../../support/instance/example-session.ts';
import { buildImage, removeImages } from '../../support/instance/image.ts';
import { webApp } from '../../support/instance/repository.ts';
import { startSecondRunner } from '../../support/instance/second-runner.ts';
import { useInstance } from '../../support/instance/use-instance.ts';

/** `name`: command of the reference. `line`: for a shell. `save`: a variable of later lines that gets the last line of the output. */
interface Step {
  name?: string;
  line: string;
  save?: string;
  exitCode?: number;
  /** Comes to pass before the line. */
  after?: () => Promise<void>;
}

/** A measurement of a host comes every ten seconds. */
const whenMeasured = `until longshore metrics web --series cpu --json | "$NODE" -e 'process.exit(JSON.parse(fs.readFileSync(0)).metrics.series[0]?.average.some((one) => one !== null) ? 0 : 1)'; do sleep 1; done`;

/** A host writes requests every ten seconds. */
const whenRequested = `until longshore requests web --path /favicon --json | grep -q '"method"'; do "$NODE" -e 'const { host, port } = new URL(process.argv[1]); http.get({ host: "127.0.0.1", port, path: "/favicon.ico", headers: { host } }, (answer) => answer.resume())' "$(longshore open)"; sleep 1; done`;

/** Builds for as long as somebody needs to abort it. */
const slowBuild = String.raw`printf 'FROM node:24-slim\nRUN sleep 60\n' > Dockerfile; longshore up --detach`;

/** A later version, by its tag. */
const laterImage = 'registry.example/postgres:18';

/** Keeps the dump of a backup waiting until it is aborted. */
const holdTable = `(echo 'begin; lock table notes; select pg_sleep(60);' | longshore db shell db > /dev/null 2>&1 &)
until longshore db query -s db --json "select 1 as held from pg_locks where relation = 'notes'::regclass and mode = 'AccessExclusiveLock'" | grep -q '"held":1'; do sleep 0.2; done`;
const releaseTable = `longshore db query -s db "select pg_terminate_backend(pid) from pg_stat_activity where query like '%pg_sleep%' and pid <> pg_backend_pid()"`;

const steps: Step[] = [
  { name: 'login', line: 'printf %s "$KEY" | longshore login "$URL" --stdin' },
  { name: 'context list', line: 'longshore context list' },
  { name: 'context use', line: 'longshore context use default' },
  { line: `longshore api POST /api/sessions '{"name":"Firefox on Linux"}'` },
  { name: 'sessions list', line: 'longshore sessions list' },
  { name: 'sessions end', line: "longshore sessions end 'Firefox on Linux'" },
  { name: 'init', line: 'longshore init shop/web' },
  { name: 'up', line: 'longshore up -y' },
  { name: 'ps', line: 'longshore ps' },
  { name: 'open', line: 'longshore open' },
  { name: 'project create', line: 'longshore project create lab' },
  {
    name: 'service create',
    line: 'longshore service create jobs -p shop --repo https://git.example.com/me/jobs.git --worker',
  },
  { line: 'longshore down --all -p lab -y && longshore down shop/jobs -y' },
  { name: 'env set', line: 'longshore env set GREETING=hello' },
  { name: 'env list', line: 'longshore env list' },
  { name: 'env pull', line: 'longshore env pull' },
  { line: 'echo LOG_LEVEL=debug >> .env' },
  { name: 'env diff', line: 'longshore env diff', exitCode: 1 },
  { name: 'env push', line: 'longshore env push -y' },
  { line: 'printf "GREETING=hi\\n" > .env' },
  { name: 'env apply', line: 'longshore env apply -y' },
  { name: 'restart', line: 'longshore restart --wait' },
  { name: 'env unset', line: 'longshore env unset GREETING' },
  { name: 'logs', line: 'longshore logs' },
  { name: 'run', line: 'longshore run -- node --version' },
  { name: 'ssh', line: 'longshore ssh -- ls' },
  { line: 'longshore run -- node missing.js', exitCode: 1 },
  { name: 'explain', line: 'longshore explain' },
  { name: 'deploy', line: 'longshore deploy --wait' },
  { name: 'releases', line: 'longshore releases --limit 3' },
  { name: 'rollback', line: 'longshore rollback --wait' },
  { name: 'stop', line: 'longshore stop' },
  { name: 'start', line: 'longshore start --wait' },
  { name: 'db create', line: 'longshore db create db --engine postgres' },
  { name: 'db list', line: 'longshore db list' },
  { name: 'db url', line: 'longshore db url' },
  {
    name: 'db query',
    line: "longshore db query 'create table notes as select 1 as id, current_user as author'",
  },
  { name: 'db tables', line: 'longshore db tables' },
  { name: 'db shell', line: "echo 'select * from notes' | longshore db shell" },
  { name: 'db backup', line: 'longshore db backup --wait --storage disk' },
  { name: 'db backups', line: 'longshore db backups' },
  { name: 'db restore', line: 'longshore db restore latest -y --wait' },
  { name: 'db download', line: 'longshore db download latest -o notes.dump' },
  { line: 'longshore db create copy --engine postgres' },
  { name: 'db import', line: 'longshore db import notes.dump -s copy --wait' },
  { name: 'db imports', line: 'longshore db imports copy' },
  { name: 'db upgrade', line: `longshore db upgrade copy --image ${laterImage} --dry-run --wait` },
  { name: 'db upgrades', line: 'longshore db upgrades copy' },
  { line: holdTable },
  { line: 'longshore db backup db --storage disk' },
  { name: 'db abort', line: 'longshore db abort db' },
  { line: releaseTable },
  { name: 'volumes create', line: 'longshore volumes create uploads /uploads -s web' },
  { line: 'longshore up -s web' },
  { name: 'volumes list', line: 'longshore volumes list -s web' },
  { name: 'volumes backup', line: 'longshore volumes backup uploads -s web --wait', save: 'BACKUP' },
  { name: 'volumes backups', line: 'longshore volumes backups web' },
  { name: 'volumes prove', line: 'longshore volumes prove "$BACKUP" -s web --wait' },
  { name: 'volumes restore', line: 'longshore volumes restore "$BACKUP" -s web -y --wait' },
  { name: 'volumes settings', line: 'longshore volumes settings web --schedule daily --storage remote' },
  { name: 'volumes move', line: 'longshore volumes move "$HOST" -s web --dry-run' },
  { line: 'longshore volumes create spare /spare -s web' },
  { name: 'volumes change', line: 'longshore volumes change spare --size 2000 -s web' },
  { name: 'volumes remove', line: 'longshore volumes remove spare -s web -y' },
  {
    name: 'files set',
    line: "echo 'mode = production' | longshore files set /etc/app/app.conf -s web --no-secret",
  },
  { name: 'files list', line: 'longshore files list web' },
  { name: 'files show', line: 'longshore files show /etc/app/app.conf -s web' },
  { name: 'files remove', line: 'longshore files remove /etc/app/app.conf -s web -y' },
  { name: 'settings set', line: 'longshore settings set memoryLimitMb=256 healthCheckPath=/ -s web' },
  { name: 'settings show', line: 'longshore settings show web' },
  { line: whenMeasured },
  { name: 'metrics', line: 'longshore metrics web --series cpu,memory' },
  { line: 'longshore requests web --on' },
  { line: whenRequested },
  { name: 'requests', line: 'longshore requests web --path /favicon --lines 1' },
  { name: 'cron create', line: "longshore cron create report '0 3 * * *' -s web -- node --version" },
  { name: 'cron list', line: 'longshore cron list web' },
  { name: 'cron pause', line: 'longshore cron pause report -s web' },
  { name: 'cron resume', line: 'longshore cron resume report -s web' },
  { name: 'cron run', line: 'longshore cron run report -s web' },
  { name: 'cron runs', line: 'longshore cron runs report -s web' },
  { name: 'cron remove', line: 'longshore cron remove report -s web -y' },
  { name: 'domains add', line: 'longshore domains add shop.localhost -s web' },
  { line: 'longshore domains add shop.example.com -s web' },
  { name: 'domains point', line: 'longshore domains point shop.example.com -s web', exitCode: 1 },
  { line: 'longshore domains remove shop.example.com -s web -y' },
  { name: 'domains list', line: 'longshore domains list -s web' },
  {
    name: 'traffic set',
    line: `echo '{"maxBodyMegabytes":10}' | longshore traffic set -s web`,
  },
  { name: 'traffic maintenance', line: 'longshore traffic maintenance on -s web --allow 203.0.113.7 -y' },
  { name: 'traffic show', line: 'longshore traffic show web' },
  { line: 'longshore traffic maintenance off -s web' },
  { name: 'domains remove', line: 'longshore domains remove shop.localhost -s web -y' },
  {
    name: 'registries login',
    line: 'printf %s "$PASSWORD" | longshore registries login registry.example bot --stdin',
  },
  { name: 'registries list', line: 'longshore registries list' },
  { name: 'registries logout', line: 'longshore registries logout registry.example -y' },
  { name: 'keys create', line: 'longshore keys create ci --access deploy -p shop' },
  { name: 'keys list', line: 'longshore keys list' },
  { name: 'keys revoke', line: 'longshore keys revoke ci -y' },
  {
    line: 'LONGSHORE_KEY="$OPERATOR_TOKEN" longshore keys create owner --access destroy 2> /dev/null',
    save: 'OWNER_KEY',
  },
  { name: 'audit', line: 'LONGSHORE_KEY="$OWNER_KEY" longshore audit --limit 3' },
  { name: 'trust create', line: 'longshore trust create octo-org/shop --branch main -p shop' },
  { name: 'trust list', line: 'longshore trust list -p shop' },
  { name: 'trust delete', line: 'longshore trust delete octo-org/shop -p shop -y' },
  // Here is no CI job, so the command refuses with the way out.
  { name: 'keys exchange', line: 'LONGSHORE_URL="$URL" longshore keys exchange -p shop', exitCode: 2 },
  { name: 'hosts list', line: 'LONGSHORE_KEY="$OPERATOR_TOKEN" longshore hosts list' },
  // This instance listens on loopback only, so the command refuses with the way out.
  {
    name: 'hosts add',
    line: 'LONGSHORE_KEY="$OPERATOR_TOKEN" longshore hosts add server-2',
    exitCode: 1,
  },
  { name: 'hosts remove', line: 'LONGSHORE_KEY="$OPERATOR_TOKEN" longshore hosts remove second -y' },
  { name: 'api', line: 'longshore api GET /api/key' },
  { name: 'doctor', line: 'longshore doctor' },
  { name: 'completion', line: 'longshore completion bash' },
  { name: 'alerts list', line: 'longshore alerts list', after: () => raiseAlert() },
  { name: 'status', line: 'longshore status -p other' },
  {
    line: `longshore alerts list --json | "$NODE" -p 'JSON.parse(fs.readFileSync(0)).alerts[0].id'`,
    save: 'ALERT',
  },
  { name: 'alerts ack', line: 'longshore alerts ack "$ALERT"' },
  { name: 'alerts silence', line: 'longshore alerts silence memory 2h' },
  {
    name: 'alerts rules add',
    line: 'longshore alerts rules add Busy cpuPercent above 80 --for 5m -s shop/web',
  },
  { name: 'alerts rules change', line: 'longshore alerts rules change Busy --threshold 90 -p shop' },
  { name: 'alerts rules off', line: 'longshore alerts rules off restarts -p shop' },
  { name: 'alerts rules list', line: 'longshore alerts rules list -p shop' },
  { name: 'alerts rules on', line: 'longshore alerts rules on restarts -p shop' },
  { name: 'alerts rules remove', line: 'longshore alerts rules remove Busy -p shop -y' },
  { name: 'link', line: 'longshore link shop/web' },
  { name: 'rename', line: 'longshore rename shop/web "Web shop"' },
  { line: 'longshore api POST /api/projects \'{"name":"store"}\'' },
  { name: 'transfer', line: 'longshore transfer store -s shop/web' },
  { line: 'longshore transfer shop -s store/web' },
  { line: slowBuild },
  { name: 'abort', line: 'longshore abort' },
  { name: 'down', line: 'longshore down --all -y' },
  { name: 'restore', line: 'longshore restore shop' },
  { name: 'context remove', line: 'longshore context remove default' },
  { line: 'printf %s "$KEY" | longshore login "$URL" --stdin' },
  { name: 'logout', line: 'longshore logout' },
];

const longshore = useInstance();
let home: string;
let env: Record<string, string>;
let second: Awaited<ReturnType<typeof startSecondRunner>>;
let reporting: SimulatedRunner | undefined;

/** By a host of which only the connection is real: a real one raises none in its first ten minutes. */
async function raiseAlert(): Promise<void> {
  const keys = await enrolSimulated(
    {
      operator: (method, path, body) => longshore.operate(method, path, body),
      call: async (method, path, body) => (await longshore.call(method, path, body)).body,
    },
    'third',
  );
  reporting = await connectSimulated(env.URL ?? '', keys);
  const project = await longshore.newProject('other');
  const ofImage = { repoUrl: 'container-image', imageRef: 'nginx:1.29', runnerId: keys.runnerId };
  const { service } = await longshore.ask('POST', `/api/projects/${project.id}/services`, {
    name: 'api',
    ...ofImage,
  });
  const detail = 'Its memory has been above 90 % for 5 minutes: 96 % of 512 MB.';
  reporting.send({ v: 1, type: 'alerts', firing: [{ rule: 'memory', serviceId: service.id, detail }] });
  await expect
    .poll(async () => (await longshore.ask('GET', '/api/alerts')).alerts, { timeout: 15_000 })
    .toHaveLength(1);
}

beforeAll(async () => {
  await buildImage(laterImage, { Dockerfile: 'FROM postgres:17\n' });
  home = `/tmp/longshore-examples-${process.pid}`;
  await mkdir(join(home, 'shop'), { recursive: true });
  const { url, apiKey } = JSON.parse(await readFile(join(longshore.dataDirectory, 'local.json'), 'utf8'));
  second = await startSecondRunner(longshore);
  await second.start();
  for (const [path, text] of Object.entries(webApp('hello'))) await writeFile(join(home, 'shop', path), text);
  env = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    NODE: process.execPath,
    PROGRAM: await bundle(join(home, 'longshore.mjs')),
    URL: url,
    KEY: apiKey,
    OPERATOR_TOKEN: longshore.operatorToken,
    PASSWORD: 's3cret-of-the-registry',
    HOST: second.runnerId,
  };
});
afterAll(async () => {
  await removeImages(laterImage);
  reporting?.close();
  await second?.remove();
  await rm(home, { recursive: true, force: true });
});

test('every command of the reference prints what the reference shows', async () => {
  const examples: Examples = {};
  const wrong: string[] = [];
  for (const { name, line, save, exitCode = 0, after } of steps) {
    await after?.();
    const own = line.startsWith('LONGSHORE_KEY=') ? { ...env, LONGSHORE_URL: env.URL ?? '' } : env;
    const { whole, ...example } = await runExample(line, { cwd: join(home, 'shop'), env: own });
    if (example.exitCode !== exitCode) wrong.push(`${line}: exit code ${example.exitCode}\n${whole}`);
    for (const secret of [env.KEY, env.OPERATOR_TOKEN, env.PASSWORD])
      expect(example.output).not.toContain(secret);
    if (save !== undefined) env[save] = whole.trim().split('\n').at(-1) ?? '';
    if (name !== undefined) examples[name] = example;
  }
  expect(wrong).toEqual([]);
  await keepOrCompare(examples);
});
