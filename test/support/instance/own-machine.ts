/**
 * A second machine for tests: a network namespace with its own dockerd, so that its containers, volumes and ports are separate
 * from those of the first machine. Needs root. To start a program in it, put `enter` before its command line.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import Docker from 'dockerode';
import { type Undo, undoStack } from '../../../local/undo.ts';
import { until } from '../runner/until.ts';

const run = promisify(execFile);

export interface OwnMachine {
  /** Its address, which is reachable from this machine. */
  address: string;
  /** The start of a command line that runs in it. */
  enter: readonly string[];
  /** For programs that use its Docker. */
  env: { DOCKER_HOST: string };
  docker: Docker;
  /** Copies an image of this machine to it. */
  load(image: string): Promise<void>;
  /** Lets programs in it reach a port of this machine's loopback. @returns the URL */
  reach(port: number): Promise<string>;
  remove(): Promise<void>;
}

export async function startOwnMachine(): Promise<OwnMachine> {
  const undo = undoStack((name, error) => console.error(`could not undo "${name}": ${String(error)}`));
  try {
    return await start(undo);
  } catch (error) {
    await undo.run();
    throw error;
  }
}

async function start(undo: Undo): Promise<OwnMachine> {
  // Not below /tmp: overlayfs can't be used on overlayfs, and layers are large.
  const directory = await mkdtemp('/var/tmp/longshore-machine-');
  undo.add('its directory', () => rm(directory, { recursive: true, force: true }));
  const { enter, here, address } = await namespace(undo);
  const socket = join(directory, 'docker.sock');
  await startDocker(undo, { enter, directory, socket });
  const docker = new Docker({ socketPath: socket });
  await until('its dockerd', () => docker.ping().then(Boolean, () => false));
  undo.add('its containers', async () => {
    for (const { Id } of await docker.listContainers({ all: true }))
      await docker.getContainer(Id).remove({ force: true, v: true });
  });
  return {
    ...{ address, enter, docker, env: { DOCKER_HOST: `unix://${socket}` } },
    async load(image) {
      const archive = await new Docker().getImage(image).get();
      const loaded = await docker.loadImage(archive);
      await new Promise((resolve, reject) =>
        docker.modem.followProgress(loaded, (error, all) => (error ? reject(error) : resolve(all))),
      );
    },
    async reach(port) {
      const server = createServer((near) => {
        const far = connect(port, '127.0.0.1');
        near.on('error', () => far.destroy()).on('close', () => far.destroy());
        far.on('error', () => near.destroy()).on('close', () => near.destroy());
        near.pipe(far).pipe(near);
      });
      await new Promise<void>((resolve) => server.listen(0, here, resolve));
      undo.add('the way to this machine', async () => void server.close());
      const { port: open } = server.address() as { port: number };
      return `http://${here}:${open}`;
    },
    remove: () => undo.run(),
  };
}

/** Creates a network namespace, connected to this one by a pair of interfaces. */
async function namespace(undo: Undo) {
  const name = `lsm${process.pid % 10_000}${randomInt(100)}`;
  const [net, subnet] = [randomInt(64, 128), randomInt(256)];
  const [here, address] = [`10.${net}.${subnet}.1`, `10.${net}.${subnet}.2`];
  undo.add('its network', async () => void (await run('ip', ['netns', 'delete', name])));
  await run('ip', ['netns', 'add', name]);
  await run('ip', ['link', 'add', `${name}h`, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name]);
  await run('ip', ['address', 'add', `${here}/30`, 'dev', `${name}h`]);
  await run('ip', ['link', 'set', `${name}h`, 'up']);
  for (const command of [
    `address add ${address}/30 dev eth0`,
    'link set eth0 up',
    'link set lo up',
    `route add default via ${here}`,
  ])
    await run('ip', ['-n', name, ...command.split(' ')]);
  // Not `ip netns exec`, because it would hide the control groups.
  return { here, address, enter: ['nsenter', `--net=/run/netns/${name}`] };
}

async function startDocker(
  undo: Undo,
  { enter, directory, socket }: { enter: readonly string[]; directory: string; socket: string },
): Promise<void> {
  await mkdir(join(directory, 'exec'));
  const places = {
    'data-root': join(directory, 'docker'),
    'exec-root': join(directory, 'exec'),
    pidfile: join(directory, 'docker.pid'),
    host: `unix://${socket}`,
    'log-level': 'error',
  };
  const [program = '', ...options] = enter;
  const flags = Object.entries(places).map(([flag, value]) => `--${flag}=${value}`);
  const child = spawn(program, [...options, 'dockerd', ...flags], { stdio: 'ignore', detached: true });
  undo.add('its dockerd', () => ended(child));
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exit = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await exit;
}
