/** The ports of a host's services: one block for apps and one for databases, used by no other runner of the machine. */
import { createServer } from 'node:net';
import type { RunnerFacts } from '../../protocol/runner-facts.ts';
import { RunnerError } from '../base/runner-error.ts';
import { tcpTable } from '../proxy/tcp-table.ts';
import { type Neighbour, openMachineRegistry } from '../setup/machine-registry.ts';
import { reservePorts } from '../setup/reserved-ports.ts';

export type PortBlock = RunnerFacts['webPorts'];

export interface PortBlocks {
  webPorts: PortBlock;
  databasePorts: PortBlock;
}

/** The blocks for apps and databases; each gets the first free one (docs/operate/hosts.md). */
export const blockLayout = {
  size: 1_000,
  web: [41_000, 42_000, 43_000, 44_000, 49_000, 50_000, 51_000, 52_000],
  databases: [45_000, 46_000, 47_000, 48_000, 53_000, 54_000, 55_000, 56_000],
};
/** The wait for another enrolment that is calling its control plane. A runner that starts must not wait that long. */
const registryWaitMs = { enrol: 30_000, start: 2_000 };
/** Listeners open at once while a block is probed. */
const concurrentProbesMax = 100;

/**
 * Chooses blocks, reserves them in the kernel, and keeps every other enrolment on this machine waiting until `use` has ended.
 * @param use registers the host and writes its settings; if it fails, the blocks are free again
 * @throws RunnerError `no_free_ports`, `already_running`
 */
export async function withPortBlocks<Result>(
  dataDirectory: string,
  use: (blocks: PortBlocks) => Promise<Result>,
  layout = blockLayout,
): Promise<Result> {
  const registry = await openMachineRegistry(registryWaitMs.enrol);
  try {
    const neighbours = registry?.neighbours(dataDirectory) ?? [];
    const webPorts = await firstFreeBlock(layout.web, layout.size, neighbours);
    const databasePorts = await firstFreeBlock(layout.databases, layout.size, neighbours);
    await reservePorts([webPorts, databasePorts]);
    const result = await use({ webPorts, databasePorts });
    registry?.add(dataDirectory);
    return result;
  } finally {
    registry?.close();
  }
}

/**
 * Adds a runner that starts to the machine's list: it may have been enrolled before the list existed.
 * @returns a sentence for each other runner with the same ports
 */
export async function enterPortBlocks(dataDirectory: string, blocks: PortBlocks): Promise<string[]> {
  const registry = await openMachineRegistry(registryWaitMs.start).catch(() => undefined);
  if (!registry) return [];
  const own = [blocks.webPorts, blocks.databasePorts];
  const others = registry
    .neighbours(dataDirectory)
    .filter((one) => own.some((block) => isHeldBy(block, one)));
  registry.add(dataDirectory);
  registry.close();
  return others.map(
    (other) =>
      `The runner in ${other.dataDirectory} has the same ports for services, so services of both fail to start: enrol one of the two again.`,
  );
}

/**
 * Chooses the first in this order: an unused block whose ports can all be bound; an unused block without a listener (only outgoing
 * connections occupy its ports; they end, and after the reservation no new ones use it); a block without a listener whose runner does not
 * run. Among those, the oldest is first, since a newly enrolled runner is about to start.
 * @param neighbours in the order of their last enrolment or start
 * @throws RunnerError `no_free_ports`
 */
export async function firstFreeBlock(
  starts: readonly number[],
  size: number,
  neighbours: readonly Neighbour[],
): Promise<PortBlock> {
  const blocks = starts.map((first) => ({ first, last: first + size - 1 }));
  const held = (block: PortBlock) => neighbours.some((one) => isHeldBy(block, one));
  const unheld = blocks.filter((block) => !held(block));
  for (const block of unheld) if (await isFree(block)) return block;
  for (const block of unheld) if (await hasNoListener(block)) return block;
  const running = neighbours.filter(({ isRunning }) => isRunning);
  const lastHolder = (block: PortBlock) => neighbours.findLastIndex((one) => isHeldBy(block, one));
  for (const block of blocks.filter(held).sort((a, b) => lastHolder(a) - lastHolder(b))) {
    if (!running.some((one) => isHeldBy(block, one)) && (await hasNoListener(block))) return block;
  }
  throw new RunnerError(
    'no_free_ports',
    `No free block of ${size} ports: a program listens in each of the blocks that begin at ${starts.join(', ')}, or another runner has it. Stop the programs in one of them, or remove a runner.`,
  );
}

function isHeldBy({ first, last }: PortBlock, { blocks }: Pick<Neighbour, 'blocks'>): boolean {
  return [blocks.webPorts, blocks.databasePorts].some((other) => other.first <= last && first <= other.last);
}

/** Ports of a block on which a program listens, ascending. */
export async function busyPorts({ first, last }: PortBlock): Promise<number[]> {
  const listeners = (await tcpTable()).filter(({ state }) => state === 'listen');
  const ports = new Set(listeners.map(({ localPort }) => localPort));
  return [...ports].filter((port) => port >= first && port <= last).sort((a, b) => a - b);
}

async function hasNoListener(block: PortBlock): Promise<boolean> {
  return (await busyPorts(block)).length === 0;
}

async function isFree({ first, last }: PortBlock): Promise<boolean> {
  for (let from = first; from <= last; from += concurrentProbesMax) {
    const ports = Array.from(
      { length: Math.min(concurrentProbesMax, last - from + 1) },
      (_, index) => from + index,
    );
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
