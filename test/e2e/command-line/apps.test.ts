/** The bundled command line as people and scripts use it, against a real control plane and a real host. */
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundle } from '../../../cli/bundle.ts';
import { type Repository, webApp } from '../../support/instance/repository.ts';
import { useInstance, useRepositories } from '../../support/instance/use-instance.ts';

const git = promisify(execFile);
const repositories = useRepositories();
const longshore = useInstance();
let home: string;
let folder: string;
let program: string;
let repository: Repository;

interface Ended {
  code: number | null;
  out: string;
  err: string;
}

/** Runs the command line in the folder. @param input stdin @param interruptAt Ctrl-C when stderr contains it */
function cli(args: string[], { input = '', interruptAt = '' } = {}): Promise<Ended> {
  const env = { PATH: process.env.PATH, HOME: home, LONGSHORE_CONFIG_DIR: home, LONGSHORE_PROGRAM: program };
  const [command, words] =
    args[0] === 'bash' ? ['bash', args.slice(1)] : [process.execPath, [program, ...args]];
  const child = spawn(command, words, { cwd: folder, env });
  const ended: Ended = { code: null, out: '', err: '' };
  child.stdout.on('data', (text) => {
    ended.out += text;
  });
  child.stderr.on('data', (text) => {
    ended.err += text;
    if (interruptAt === '' || !ended.err.includes(interruptAt)) return;
    child.kill('SIGINT');
    interruptAt = ''; // once: a second Ctrl-C kills
  });
  child.stdin.end(input);
  return new Promise((resolve) => child.on('close', (code) => resolve({ ...ended, code })));
}

/** Standard output of a command that must succeed. */
async function ok(...args: string[]): Promise<string> {
  const { code, out, err } = await cli(args);
  expect(code, `${args.join(' ')}\n${out}${err}`).toBe(0);
  return out.trim();
}

/** What the linked service answers, asked at its host: names below `.localhost` lead nowhere in Node. */
async function page(): Promise<string> {
  const { services } = JSON.parse(await ok('ps', '--json'));
  return (await fetch(services[0].localUrl)).text();
}

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'longshore-cli-'));
  program = await bundle(join(home, 'longshore.mjs'));
  repository = await repositories.add('shop', webApp('one'));
  folder = join(home, 'shop');
  await git('git', ['clone', '-q', `${repositories.url}/${repository.name}`, folder]);
});
afterAll(() => rm(home, { recursive: true, force: true }));

test('login stores the key of stdin for its owner only, and refuses a wrong one with the next command', async () => {
  const { url, apiKey } = JSON.parse(await readFile(join(longshore.dataDirectory, 'local.json'), 'utf8'));
  const wrong = await cli(['login', url, '--stdin'], { input: 'ls_wrong' });
  expect([wrong.code, wrong.out]).toEqual([1, '']);
  expect(wrong.err).toContain('longshore login');
  expect((await cli(['ps'])).code).toBe(2);
  const { code, out, err } = await cli(['login', url, '--stdin'], { input: `${apiKey}\n` });
  expect([code, out.includes(url)], err).toEqual([0, true]);
  expect((await stat(join(home, 'contexts.json'))).mode & 0o777).toBe(0o600);
});

test('up creates nothing without -y where no terminal is, and with it ends with the URL of the live app', async () => {
  const unasked = await cli(['up']);
  expect([unasked.code, unasked.out]).toEqual([2, '']);
  expect(unasked.err).toContain('-y');
  expect(JSON.parse(await ok('ps', '--json')).services).toEqual([]);
  const { code, out, err } = await cli(['up', '-y']);
  expect(code, err).toBe(0);
  expect(err).toContain('+ service shop');
  expect(await page()).toContain('one');
  expect(JSON.parse(await readFile(join(folder, '.longshore.json'), 'utf8'))).toEqual({
    project: 'shop',
    service: 'shop',
  });
  expect(await ok('open', 'shop/shop')).toBe(out.trim());
});

test('a variable reaches the app with a restart; pull, diff and push keep its value', async () => {
  await cli(['env', 'set', 'GREETING', '--stdin'], { input: 'it\'s "quoted" # 100%\n' });
  await ok('restart', '--wait');
  expect(await page()).toContain('it\'s "quoted" # 100%');
  await ok('env', 'pull');
  expect(await ok('env', 'diff')).toBe('');
  await writeFile(join(folder, '.env'), 'GREETING=pushed\nMORE=1\n');
  const { code, out } = await cli(['env', 'diff']);
  expect([code, out]).toEqual([1, '+ MORE\n~ GREETING\n']);
  await ok('env', 'push', '-y');
  expect(JSON.parse(await ok('env', 'list', '--json', '--values')).env).toMatchObject([
    { key: 'GREETING', value: 'pushed' },
    { key: 'MORE', value: '1' },
  ]);
  await ok('env', 'unset', 'MORE');
  await rm(join(folder, '.env'));
});

test('a failed deployment ends with 1 and its reason, logs shows its log, and the version before serves', async () => {
  await repository.commit({ Dockerfile: 'FROM node:24-slim\nRUN echo "cannot go on" && false' });
  const failed = await cli(['deploy', '--wait']);
  expect(failed.code, failed.err).toBe(1);
  expect(failed.err).toContain('failed');
  expect(await ok('status')).toMatch(
    /^failing {2}shop\/shop {2}just now\n {2}The newest deployment.* failed: .* keeps serving\.\n {2}longshore explain shop\/shop$/,
  );
  expect(await ok('logs')).toContain('cannot go on');
  expect(await page()).toContain('one');
});

test('the newest of the versions before comes back with rollback; releases lists all of them', async () => {
  await repository.commit(webApp('two'));
  await ok('deploy', '--wait');
  expect(await page()).toContain('two');
  await ok('rollback', '--wait');
  expect(await page()).toContain('one');
  const { deployments } = JSON.parse(await ok('releases', '--json'));
  expect(deployments.map((one: { status: string }) => one.status)).toEqual(
    expect.arrayContaining(['running', 'superseded', 'failed']),
  );
});

test('Ctrl-C and the time limit end the waiting with 130 and 4, and the deployment goes on', async () => {
  await repository.commit({
    Dockerfile: 'FROM node:24-slim\nRUN sleep 8\nCOPY server.js .\nCMD ["node", "server.js"]',
  });
  const detached = await cli(['deploy', '--wait'], { interruptAt: 'sleep' });
  expect(detached.code, detached.err).toBe(130);
  const [command = ''] = /longshore logs -f --deployment \S+/.exec(detached.err) ?? [];
  const late = await cli(['deploy', '--wait', '--timeout', '1']);
  expect(late.code, late.err).toBe(4);
  await ok(...command.split(' ').slice(1));
  const { deployments } = JSON.parse(await ok('releases', '--json'));
  const detachedId = command.split(' ').at(-1);
  const found = deployments.find((one: { id: string }) => one.id === detachedId);
  expect(['running', 'superseded']).toContain(found.status);
  const last = deployments[0].id;
  await longshore.finished(last, deployments[0].serviceId);
});

test('an aborted deployment ends with 3', async () => {
  await repository.commit({ Dockerfile: 'FROM node:24-slim\nRUN sleep 60' });
  const waiting = cli(['deploy', '--wait', '--json']);
  let id = '';
  while (id === '') {
    const { deployments } = JSON.parse(await ok('releases', '--json'));
    if (deployments[0].status === 'building') id = deployments[0].id;
  }
  expect(await ok('abort')).toBe(id);
  const { code, out, err } = await waiting;
  expect(code, err).toBe(3);
  expect(JSON.parse(out.trim().split('\n').at(-1) ?? '')).toMatchObject({
    event: 'result',
    deployment: { id },
  });
  expect(JSON.parse(err.trim().split('\n').at(-1) ?? '')).toMatchObject({ code: 'aborted', exitCode: 3 });
  const again = await cli(['abort']);
  expect([again.code, again.err]).toEqual([1, expect.stringContaining('longshore rollback shop/shop')]);
});

test('run passes on both outputs, each argument and the exit code of its command', async () => {
  const text = 'console.log(process.argv[1]); console.error("aside"); process.exit(7)';
  const { code, out, err } = await cli(['run', '--', 'node', '-e', text, "it's $HOME"]);
  expect([code, out], err).toEqual([7, "it's $HOME\n"]);
  expect(err).toContain('aside');
});

test('logs of the running service, search, several services, stop, start, domains and doctor work by name', async () => {
  expect(await ok('logs', '--runtime', 'shop/shop')).toContain('listening');
  expect(await ok('logs', '--runtime', '--search', 'nothing has this')).toBe('');
  await ok('stop');
  expect(JSON.parse(await ok('ps', '--json')).services[0].status).toBe('stopped');
  await ok('start', '--wait');
  await ok('domains', 'add', 'cli.localhost');
  expect(await ok('domains', 'list')).toContain('cli.localhost');
  await ok('domains', 'remove', 'cli.localhost', '-y');
  const wild = await cli(['domains', 'add', '*.cli.example.com']);
  expect([wild.code, wild.out, wild.err]).toEqual([
    0,
    '*.cli.example.com\n',
    expect.stringMatching(/^Create these DNS records:\n {2}\*\.cli\.example\.com {2}A{1,4} {2}\S+\n/),
  ]);
  expect(await ok('domains', 'list')).toContain('*.cli.example.com');
  await ok('domains', 'remove', '*.cli.example.com', '-y');
  expect(JSON.parse(await ok('doctor', '--json')).ok).toBe(true);
  const near = await cli(['deploy', 'shop/shpo']);
  expect([near.code, near.err]).toEqual([2, expect.stringContaining('Did you mean shop/shop?')]);
});

test('a script under set -e ends at the first command that fails, and its pipes get only results', async () => {
  const script = `set -euo pipefail
longshore() { "${process.execPath}" "$LONGSHORE_PROGRAM" "$@"; }
printf 'A=1\\nB=2\\n' | longshore env set --stdin >/dev/null
id=$(longshore deploy --json | ${process.execPath} -p 'JSON.parse(fs.readFileSync(0)).deployment.id')
longshore api POST /api/deployments/$id/abort >/dev/null
longshore env list | head -1
longshore env unset NOT_THERE
echo unreachable`;
  const { code, out } = await cli(['bash', '-c', script]);
  expect([code, out.trim()]).toEqual([2, expect.stringMatching(/^NAME\s+SCOPE\s+VALUE$/)]);
});
