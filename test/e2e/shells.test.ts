/** Shells in real containers, through a real control plane and runner, by the bundled command line. */
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import Docker from 'dockerode';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildImage, removeImages } from '../support/instance/image.ts';
import { killNine } from '../support/instance/instance-processes.ts';
import type { Json } from '../support/instance/longshore.ts';
import { webApp } from '../support/instance/repository.ts';
import { useCommandLine } from '../support/instance/use-command-line.ts';
import { useInstance } from '../support/instance/use-instance.ts';
import { useTerminal } from '../support/terminal.ts';

const docker = new Docker();
const image = 'longshore-e2e-shells:1';
afterAll(() => removeImages(image));
const longshore = useInstance();
const cli = useCommandLine(longshore);
const terminal = useTerminal();
let web: Json;

beforeAll(async () => {
  await buildImage(image, webApp('hosted'));
  const project = await longshore.newProject('Shop');
  const ofImage = { repoUrl: 'container-image', imageRef: image, internalPort: 3000 };
  web = await longshore.newService(project, { name: 'web', ...ofImage });
  await longshore.deploy(web.id);
});

/** Command lines of the live container's processes. */
async function running(): Promise<string> {
  const { Processes } = await docker
    .getContainer(`longshore-${web.id}-stable`)
    .top({ ps_args: '-eo pid,args' });
  return Processes.map((columns: string[]) => columns.slice(1).join(' ')).join('\n');
}

/** Nothing of a shell is left in the container. */
const gone = () => expect.poll(running, { timeout: 15_000 }).not.toContain('sleep');

/** The host takes shells: it may still be coming back from the fault of the test before. */
const takesShells = () =>
  expect
    .poll(async () => (await cli.run(['ssh', '-s', 'web', '--', 'true'])).code, { timeout: 30_000 })
    .toBe(0);

/** `longshore ssh` that goes on, without a terminal. */
function start(...command: string[]) {
  const own = { PATH: process.env.PATH, HOME: cli.home, LONGSHORE_CONFIG_DIR: cli.home };
  const child = spawn(process.execPath, [cli.program, 'ssh', '-s', 'web', '--', ...command], {
    cwd: cli.home,
    env: own,
  });
  const said = { out: '', err: '' };
  child.stdout.on('data', (data) => (said.out += data));
  child.stderr.on('data', (data) => (said.err += data));
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  return { child, said, ended };
}

test('a command in a pipe reads stdin, has its streams apart, and ends with its own code', async () => {
  const line = 'tr a-z A-Z; echo wrong >&2; exit 7';
  const { code, out, err } = await cli.run(['ssh', '-s', 'web', '--', line], { input: 'typed\n' });
  expect([code, out, err]).toEqual([7, 'TYPED\n', 'wrong\n']);
  const missing = await cli.run(['ssh', '-s', 'web', '--', 'no-such-program', 'x']);
  expect([missing.code, missing.out + missing.err]).toEqual([
    expect.toSatisfy((code) => code === 126 || code === 127), // which one depends on the version of Docker
    expect.stringContaining('no-such-program'),
  ]);
});

test('megabytes pass in both directions at once, unchanged', async () => {
  const bytes = randomBytes(16 * 2 ** 20);
  const { child, ended } = start('cat', '-');
  const hash = createHash('sha256');
  child.stdout.removeAllListeners('data').on('data', (data) => hash.update(data));
  child.stdin.end(bytes);
  expect(await ended).toBe(0);
  expect(hash.digest('hex')).toBe(createHash('sha256').update(bytes).digest('hex'));
});

test('a terminal has its size, its keys and its exit code, and is as before at the end', async ({ skip }) => {
  const open = await terminal.open(cli, skip);
  await open.command('stty -a > before; longshore ssh -s web');
  await open.sees('/app $');
  await open.command('stty size; tty');
  await open.sees('40 100');
  await open.resize(90, 30);
  // The new size takes its way through the terminal, the control plane and the host.
  await open.command('until [ "$(stty size)" = "30 90" ]; do :; done; echo "now $(stty size)"');
  await open.sees('now 30 90');
  await open.command('sleep 4711');
  await expect.poll(running, { timeout: 15_000 }).toContain('sleep 4711');
  await open.press('C-c');
  await expect.poll(running, { timeout: 15_000 }).not.toContain('sleep 4711');
  await open.command('exit 5');
  await open.sees('ended with 5');
  await open.command('stty -a | grep -v rows > after; grep -v rows before | diff - after && echo the-same');
  await open.sees('\nthe-same');
});

test('the keys of ssh leave a shell, and nothing of it is left', async ({ skip }) => {
  const open = await terminal.open(cli, skip);
  await open.command('longshore ssh -s web');
  await open.sees('/app $');
  await open.command('(sleep 4712 & setsid sleep 4713 &) ; env -i sleep 4715');
  await expect.poll(running, { timeout: 15_000 }).toContain('sleep 4715');
  await open.press('C-c');
  await open.press('Enter');
  await open.type('~');
  await open.type('.');
  await open.sees('ended with 255');
  await gone();
  await open.command('stty -a | grep -c -- "-icanon"');
  await open.sees('\n0');
});

test('a killed client, and a command that leaves something in the background, leave nothing', async () => {
  const killed = start('sleep 4721 & exec sleep 4722');
  await expect.poll(running, { timeout: 15_000 }).toContain('sleep 4722');
  killed.child.kill('SIGKILL');
  await gone();
  const { code, out } = await cli.run(['ssh', '-s', 'web', '--', 'sleep 4723 & echo done; exit 3']);
  expect([code, out]).toEqual([3, 'done\n']);
  await gone();
});

test('Ctrl-C without a terminal is for the command', async () => {
  const { child, ended, said } = start(
    "trap 'echo caught; exit 9' INT; echo ready; while :; do sleep 0.1; done",
  );
  await expect.poll(() => said.out, { timeout: 15_000 }).toContain('ready');
  child.kill('SIGINT');
  expect([await ended, said.out]).toEqual([9, 'ready\ncaught\n']);
});

test('a shell ends in words when its container is replaced', async () => {
  const { ended, said } = start('sleep 4731');
  await expect.poll(running, { timeout: 15_000 }).toContain('sleep 4731');
  await longshore.deploy(web.id);
  expect([await ended, said.err]).toEqual([
    255,
    expect.stringContaining('container has stopped or was replaced'),
  ]);
});

test('a shell in a new container has the variables of now, and its container ends with it', async () => {
  await longshore.ask('POST', `/api/services/${web.id}/env`, { key: 'GREETING', value: 'waits' });
  const line = 'echo "$GREETING in $(hostname)"';
  const { code, out, err } = await cli.run(['ssh', '--new', '-s', 'web', '--', line]);
  expect([code, out], err).toEqual([0, expect.stringMatching(/^waits in \w+\n$/)]);
  const [, name] = /in (\w+)/.exec(out) ?? [];
  const left = async () =>
    (await docker.listContainers({ all: true })).some(({ Id }) => Id.startsWith(`${name}`));
  await expect.poll(left, { timeout: 20_000 }).toBe(false);
  const ended = async () => {
    const { runs } = await longshore.ask('GET', `/api/services/${web.id}/runs`);
    return runs.map(({ status }: Json) => status);
  };
  // The host reports the end a moment after its container is gone.
  await expect.poll(ended, { timeout: 20_000 }).toEqual(['aborted']);
});

test.each([
  ['runner', 'connection to the host was lost'],
  ['workerd', 'connection was lost'],
] as const)('a killed %s ends the shell in words, and nothing of it is left', async (victim, words) => {
  await takesShells();
  const { ended, said } = start('sleep 4741');
  await expect.poll(running, { timeout: 15_000 }).toContain('sleep 4741');
  await killNine(longshore.dataDirectory, [victim]);
  expect([await ended, said.err]).toEqual([255, expect.stringContaining(words)]);
  await gone();
});

test('the audit log has who, where, how long and how much, and nothing of what passed', async () => {
  await takesShells();
  expect((await cli.run(['ssh', '-s', 'web', '--', 'cat'], { input: 's3cret-input' })).code).toBe(0);
  const audit = () => longshore.operate('GET', '/api/system/audit');
  await expect
    .poll(async () => (await audit()).entries[0])
    .toMatchObject({
      route: 'shell ended',
      actor: expect.stringMatching(/^key_/),
      actedBy: { type: 'key', name: 'npm start' },
      detail: {
        serviceId: web.id,
        container: `longshore-${web.id}-stable`,
        ...{ bytesIn: 12, bytesOut: 12, exitCode: 0, reason: null },
        seconds: expect.any(Number),
      },
    });
  expect(JSON.stringify(await audit())).not.toContain('s3cret');
});

test('a service has four shells at most, and none while it is stopped', async () => {
  const open = () => longshore.call('POST', `/api/services/${web.id}/shells`, {});
  const replies = await Promise.all([open(), open(), open(), open(), open()]);
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 409]);
  expect(replies.find(({ status }) => status === 409)?.body).toMatchObject({ code: 'quota_exceeded' });
  await longshore.ask('POST', `/api/services/${web.id}/stop`);
  const { status, body } = await open();
  expect([status, body.code, body.error]).toEqual([409, 'conflict', expect.stringContaining('stopped')]);
});
