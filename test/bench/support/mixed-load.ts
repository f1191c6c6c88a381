/**
 * Child process: what the world has open beside short requests. A steady rate of slow answers, and a number of event streams, WebSockets and
 * uploads, each replaced by another one when it ends. Nothing is sent twice.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Door } from '../../support/real-world/exchange.ts';
import {
  type Ending,
  eventsClient,
  type StrangeClient,
  slowClient,
  socketClient,
  uploadClient,
} from '../../support/real-world/strange-clients.ts';

export interface MixOrder {
  door: Door;
  slowPerSecond: number;
  streams: number;
  sockets: number;
  uploads: number;
}

/** One client: when it began (epoch ms), how it ended, and by how much its answer was later than the app wanted. */
export interface MixSample extends Ending {
  at: number;
  lateMs: number;
}

export const slowMs = { least: 3_000, most: 25_000 };
const uploadMs = 20_000;
const samples: MixSample[] = [];
const open = new Set<StrangeClient>();
let stopped = false;

if (process.send) {
  process.on('message', (message: MixOrder | 'stop') => {
    if (message === 'stop') stopped = true;
    else void run(message);
  });
}

async function run({ door, slowPerSecond, streams, sockets, uploads }: MixOrder): Promise<void> {
  const always = (count: number, begin: () => StrangeClient, wantedMs = 0) =>
    Array.from({ length: count }, async () => {
      while (!stopped) await watch(begin(), wantedMs);
    });
  const kept = [
    ...always(streams, () => eventsClient(door)),
    ...always(sockets, () => socketClient(door)),
    ...always(uploads, () => uploadClient(door, uploadMs), uploadMs),
  ];
  process.send?.('running');
  const slow: Promise<void>[] = [];
  const from = performance.now();
  while (!stopped) {
    await delay(5);
    const due = Math.floor(((performance.now() - from) / 1_000) * slowPerSecond);
    while (slow.length < due) {
      const ms = Math.round(slowMs.least + Math.random() * (slowMs.most - slowMs.least));
      slow.push(watch(slowClient(door, ms), ms));
    }
  }
  await Promise.race([Promise.all(slow), delay(slowMs.most + 10_000)]);
  for (const client of open) client.close();
  await Promise.race([Promise.all(kept), delay(2_000)]);
  process.send?.(samples);
}

async function watch(client: StrangeClient, wantedMs: number): Promise<void> {
  const at = Date.now();
  open.add(client);
  const ending = await client.ending;
  open.delete(client);
  samples.push({ ...ending, text: '', at, lateMs: ending.tookMs - wantedMs });
  if (ending.how !== 'answered' && ending.tookMs < 1_000) await delay(100); // nothing answers: not in a circle
}
