/**
 * Ends the connections of a stopped container at their peers. When a program ends, the kernel still sends its written data until the
 * container's network is removed. A peer that reads slowly may not get all of it, nor the end of the connection, and would wait forever.
 */
import { execFile } from 'node:child_process';
import { type FileHandle, open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { type MainProcess, runsHere } from '../../base/deaf-process.ts';
import { call, type DockerHost } from '../client.ts';

const timeoutMs = 10_000;
/** The kernel limits the length of a filter. */
const socketsAtOnce = 500;

/**
 * Stops a container, and ends its connections at their peers on this host if the container could not: they fail with ECONNABORTED. This
 * needs root, the programs `ss` and `nsenter`, and Docker on this host; otherwise the container is only stopped.
 * @throws the errors of `stop`
 */
export async function endingPeers<T>(
  host: DockerHost,
  main: Pick<MainProcess, 'id' | 'pid'> | undefined,
  stop: () => Promise<T>,
): Promise<T> {
  // The open file keeps the kernel's list of unsent data. The container's interface is removed all the same.
  const network = main && (await networkOf(main).catch(() => undefined));
  if (!main || !network) return await stop();
  try {
    const stopped = await stop();
    await endPeers(host, main.id, network).catch(() => {});
    return stopped;
  } finally {
    await network.close();
  }
}

async function networkOf(main: Pick<MainProcess, 'id' | 'pid'>): Promise<FileHandle | undefined> {
  return (await runsHere(main)) ? await open(`/proc/${main.pid}/ns/net`) : undefined;
}

/** @throws DockerError; Error without the programs */
async function endPeers({ engine }: DockerHost, id: string, network: FileHandle): Promise<void> {
  // Docker answers after it has removed the container's interface: until then, data is still sent.
  const container = await call('inspect the container', () => engine.getContainer(id).inspect());
  const unsent = await unsentIn(`/proc/${process.pid}/fd/${network.fd}`);
  if (unsent.size === 0) return;
  const networks = Object.values(container.NetworkSettings.Networks).map(({ NetworkID }) => NetworkID);
  const pids = await pidsIn(engine, networks);
  for (const [address, sockets] of unsent) await endAt(pids.get(address), sockets);
}

/** The other ends, by address, of connections with unsent data. */
async function unsentIn(network: string): Promise<Map<string, string[]>> {
  const closing = ['fin-wait-1', 'last-ack', 'closing'].flatMap((state) => ['state', state]);
  const listed = await run('nsenter', `--net=${network}`, 'ss', '-Htn', ...closing);
  const others = new Map<string, string[]>();
  for (const line of listed.split('\n')) {
    const socket = line
      .trim()
      .split(/\s+/)[4]
      ?.replace(/^\[::ffff:([\d.]+)\]/, '$1');
    if (!socket) continue;
    const address = socket.slice(0, socket.lastIndexOf(':'));
    others.set(address, [...(others.get(address) ?? []), socket]);
  }
  return others;
}

/** The main processes of the containers in these networks, by address. */
async function pidsIn(engine: DockerHost['engine'], networks: string[]): Promise<Map<string, number>> {
  const pids = new Map<string, number>();
  for (const network of networks) {
    const { Containers } = await call('inspect the network', () => engine.getNetwork(network).inspect());
    for (const [id, { IPv4Address }] of Object.entries<{ IPv4Address: string }>(Containers ?? {})) {
      const peer = await call('inspect the container', () => engine.getContainer(id).inspect());
      pids.set(IPv4Address.replace(/\/.*/, ''), peer.State.Pid);
    }
  }
  return pids;
}

/**
 * Ends connections of a peer by its own sockets, for any address that it has dialled (see `firewall/name-rules.ts`). A peer that already
 * knows the end may read the rest.
 * @param pid `undefined` for the host itself
 */
async function endAt(pid: number | undefined, sockets: readonly string[]): Promise<void> {
  const enter = pid === undefined ? [] : ['nsenter', `--net=/proc/${pid}/ns/net`];
  const open = ['established', 'fin-wait-1', 'fin-wait-2'].flatMap((state) => ['state', state]);
  for (let at = 0; at < sockets.length; at += socketsAtOnce) {
    const filter = sockets.slice(at, at + socketsAtOnce).map((socket) => ['or', 'src', socket]);
    const [file = '', ...args] = [...enter, 'ss', '-HtnK', ...open, ...filter.flat().slice(1)];
    await run(file, ...args);
  }
}

async function run(file: string, ...args: string[]): Promise<string> {
  const env = { PATH: `${process.env.PATH ?? ''}:/usr/sbin:/sbin`, LC_ALL: 'C' };
  return (await promisify(execFile)(file, args, { env, timeout: timeoutMs })).stdout;
}
