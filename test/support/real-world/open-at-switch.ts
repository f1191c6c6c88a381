/** Opens every kind of request and connection to a service, at all of its doors at once. */
import Docker from 'dockerode';
import { labels } from '../../../protocol/names.ts';
import { until } from '../runner/until.ts';
import { type Door, exchange } from './exchange.ts';
import { releaseSignal } from './real-app.ts';
import {
  type Ending,
  eventsClient,
  heldClient,
  type StrangeClient,
  socketClient,
  uploadClient,
} from './strange-clients.ts';

const docker = new Docker();

/** How a client ended, with its door. */
export type DoorEnding = Ending & { door: string };

export interface OpenAtSwitch {
  /** The clients that have ended so far. */
  ended(): DoorEnding[];
  /** The app answers everything and ends everything, as it would by itself. @returns how each client ended */
  release(): Promise<DoorEnding[]>;
  /** How each client ended. @throws Error with those that are still open after the time */
  all(withinMs?: number): Promise<DoorEnding[]>;
  close(): void;
}

/** Enough on a busy machine. A connection that is never closed is open for minutes. */
const endsWithinMs = 20_000;

/** Resolves when the app has everything open: waiting answers, uploads, event streams and WebSockets. */
export async function openEverything(
  serviceId: string,
  port: number,
  doors: Record<string, Door>,
): Promise<OpenAtSwitch> {
  const containers = await runningContainers(serviceId);
  const openNow = async () => {
    const counts = await Promise.all(containers.map(({ address }) => openAt(address, port)));
    return counts.reduce((sum, one) => sum + one, 0);
  };
  const openBefore = await openNow();
  const uploaded = new AbortController();
  const clients = Object.entries(doors).flatMap(([door, at]) =>
    [
      heldClient(at),
      eventsClient(at),
      uploadClient(at, uploaded.signal),
      ...(at.over === 'http2' ? [] : [socketClient(at)]),
    ].map((client) => ({ door, client })),
  );
  const endings: DoorEnding[] = [];
  const all = clients.map(async ({ door, client }) => {
    const ending = { door, ...(await client.ending) };
    endings.push(ending);
    return ending;
  });
  await until(`${clients.length} to be open`, async () => {
    const [early] = endings;
    if (early) throw new Error(`${early.kind} at ${early.door} ended before: ${early.how} ${early.text}`);
    return (await openNow()) - openBefore === clients.length;
  });
  const allWithin = async (withinMs = endsWithinMs) => {
    const isOpen = ({ door, client: { kind } }: { door: string; client: StrangeClient }) =>
      !endings.some((one) => one.door === door && one.kind === kind);
    await until('the ends', () => endings.length === clients.length, withinMs).catch((cause: unknown) => {
      const open = clients.filter(isOpen).map(({ door, client }) => `${client.kind} at ${door}`);
      throw new Error(`still open after ${withinMs} ms: ${open.join(', ')}`, { cause });
    });
    return await Promise.all(all);
  };
  return {
    ended: () => [...endings],
    all: allWithin,
    async release() {
      uploaded.abort();
      for (const { id } of containers)
        await docker.getContainer(id).kill({ signal: releaseSignal }).catch(isGone);
      return await allWithin();
    },
    close: () => {
      uploaded.abort();
      for (const { client } of clients) client.close();
    },
  };
}

/** The number of open requests at one container of the app. Read over a connection that closes, because a drain would wait for it. */
export async function openAt(host: string, port: number): Promise<number> {
  const { sent, answer } = exchange({ host, port, name: 'app' }, 'GET', '/open');
  sent.end();
  return Number((await Array.fromAsync((await answer).body)).join(''));
}

/** A replica may have ended in between. */
const isGone = (error: { statusCode?: number }): void => {
  if (error.statusCode !== 404 && error.statusCode !== 409) throw error;
};

/** The running containers of all versions of a service, on any host of this Docker. */
export async function runningContainers(serviceId: string): Promise<{ id: string; address: string }[]> {
  const filters = { label: [`${labels.service}=${serviceId}`, `${labels.role}=app`], status: ['running'] };
  const found = await docker.listContainers({ filters });
  return found.map(({ Id, NetworkSettings }) => ({
    id: Id,
    address: Object.values(NetworkSettings.Networks)[0]?.IPAddress ?? '',
  }));
}

/**
 * Continued to its own end: complete answers, and streams that the app has ended. On a busy machine, a firewall that drops packets is silent for
 * longer.
 */
export const goesOn = ({ kind, how, text, silentMs }: Ending): boolean =>
  silentMs < 3_000 &&
  (kind === 'socket'
    ? how === 'ended'
    : how === 'answered' && (kind !== 'events' || text.includes('data: end')));

/** Was closed so that its client noticed: no answer that looks complete, and nothing that the client had to close itself. */
export const endsVisibly = ({ kind, how, text }: Ending): boolean =>
  how !== 'closed' && !(how === 'answered' && (kind !== 'events' || text.includes('data: end')));
