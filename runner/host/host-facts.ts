/** The facts that the runner reports about its host: measured at enrolment; the changing part is measured again at every connect. */
import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';
import { availableParallelism, totalmem } from 'node:os';
import type { RunnerFacts } from '../../protocol/runner-facts.ts';
import { RunnerError } from '../base/runner-error.ts';
import { readVersion } from '../base/version.ts';
import { hasBuildFixes } from '../docker/build-fixes.ts';
import { tcpTable } from '../proxy/tcp-table.ts';
import type { RunnerConfig } from '../setup/config.ts';

export type PortBlock = RunnerFacts['webPorts'];

const blockSize = 1_000;
/** Apps and databases each get the first of these blocks that is free (docs/operate/hosts.md). */
const webBlockStarts = [41_000, 42_000, 43_000, 44_000];
const databaseBlockStarts = [45_000, 46_000, 47_000, 48_000];
/** Listeners open at once while a block is probed. */
const probesAtOnce = 100;

export async function measurePortBlocks(): Promise<{ webPorts: PortBlock; databasePorts: PortBlock }> {
  return {
    webPorts: await firstFreeBlock(webBlockStarts),
    databasePorts: await firstFreeBlock(databaseBlockStarts),
  };
}

/**
 * The first block of 1,000 loopback ports that can all be bound; else the first block without a listener. There only outgoing
 * connections occupy ports; they end, and once the block is reserved no new ones use it.
 * @throws RunnerError `no_free_ports`
 */
export async function firstFreeBlock(starts: readonly number[], size = blockSize): Promise<PortBlock> {
  const blocks = starts.map((first) => ({ first, last: first + size - 1 }));
  for (const block of blocks) if (await isFree(block)) return block;
  for (const block of blocks) if (await hasNoListener(block)) return block;
  throw new RunnerError(
    'no_free_ports',
    `No free block of ${size} ports: a program listens in each of the blocks that begin at ${starts.join(', ')}. Stop the programs in one of them.`,
  );
}

/** The facts of a hello. @param dockerVersion null when the daemon does not answer */
export async function hostFacts(config: RunnerConfig, dockerVersion: string | null): Promise<RunnerFacts> {
  return {
    version: readVersion(),
    arch: process.arch,
    cpus: availableParallelism(),
    memoryMb: Math.floor(totalmem() / 2 ** 20),
    dockerVersion,
    buildFixes: dockerVersion === null ? null : hasBuildFixes(dockerVersion),
    publicIp: await publicAddress(config),
    httpPort: config.httpPort,
    httpsPort: config.httpsPort,
    webPorts: config.webPorts,
    databasePorts: config.databasePorts,
  };
}

/** The address that the operator configured, else that of the default route; null without one. */
export async function publicAddress({ publicIp }: Pick<RunnerConfig, 'publicIp'>): Promise<string | null> {
  return publicIp ?? (await defaultRouteAddress());
}

/**
 * This host's address towards the internet: connecting a UDP socket makes the kernel choose it, and sends nothing.
 * @returns null without a default route
 */
async function defaultRouteAddress(): Promise<string | null> {
  const socket = createSocket('udp4');
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.connect(9, '192.0.2.1', resolve); // RFC 5737: an address that belongs to nobody
    });
    return socket.address().address;
  } catch {
    return null;
  } finally {
    socket.close();
  }
}

async function hasNoListener({ first, last }: PortBlock): Promise<boolean> {
  const table = await tcpTable();
  return !table.some(({ state, localPort }) => state === 'listen' && localPort >= first && localPort <= last);
}

async function isFree({ first, last }: PortBlock): Promise<boolean> {
  for (let from = first; from <= last; from += probesAtOnce) {
    const ports = Array.from({ length: Math.min(probesAtOnce, last - from + 1) }, (_, index) => from + index);
    const free = await Promise.all(ports.map(canBind));
    if (free.includes(false)) return false;
  }
  return true;
}

function canBind(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}
