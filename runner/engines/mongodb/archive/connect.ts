/** Connections for work that moves all data. The limits of ordinary queries don't apply to them. */
import { setTimeout as delay } from 'node:timers/promises';
import type { MongoClient } from 'mongodb';
import type { DataPlace, FreshPlace } from '../../archive/archive.ts';
import { EngineError } from '../../engine-error.ts';
import { openClient } from '../client.ts';
import { engineError } from '../errors.ts';
import { becomePrimary, localMember } from '../replica-set.ts';

/** The timeout of one answer while data is read. */
const readSilenceMs = 5 * 60_000;
/**
 * Building an index of a large collection takes long, and the server sends nothing until the end: this is the longest time that a job may
 * take.
 */
const workSilenceMs = 6 * 3_600_000;
const pollMs = 500;
/** The first start creates the data files and the root user. */
const startTimeoutMs = 300_000;

/** @throws EngineError; the signal's reason */
export async function reading<T>(place: DataPlace, use: (client: MongoClient) => Promise<T>): Promise<T> {
  const client = await openClient(place.address, place.env, { socketTimeoutMS: readSilenceMs });
  return await closing(client, place.signal, () => use(client));
}

/** Waits for the server, which was just started. @throws EngineError; the signal's reason */
export async function filling<T>(place: FreshPlace, use: (client: MongoClient) => Promise<T>): Promise<T> {
  const client = await untilServing(place);
  return await closing(client, place.signal, () => use(client));
}

/** While the image creates the root user, its server accepts connections only from inside its container. */
async function untilServing({ address, env, signal, assertRunning }: FreshPlace): Promise<MongoClient> {
  for (const giveUpAt = performance.now() + startTimeoutMs; ; ) {
    try {
      return await openPrimary(address, env);
    } catch (error) {
      if (!(error instanceof EngineError) || performance.now() > giveUpAt) throw error;
      await assertRunning?.();
      await delay(pollMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }
}

/** Only the host reaches this server, so it reaches itself at its local address. @throws EngineError */
async function openPrimary(address: FreshPlace['address'], env: FreshPlace['env']): Promise<MongoClient> {
  const client = await openClient(address, env, { socketTimeoutMS: workSilenceMs });
  try {
    await becomePrimary(client, localMember);
    return client;
  } catch (error) {
    await client.close().catch(() => {});
    throw engineError(error);
  }
}

/** Closes the client in every case. An abort closes it while it is in use. */
export async function closing<T>(
  client: MongoClient,
  signal: AbortSignal,
  use: () => Promise<T>,
): Promise<T> {
  const close = () => client.close().catch(() => {});
  const closeAtAbort = () => void close();
  signal.addEventListener('abort', closeAtAbort, { once: true });
  try {
    signal.throwIfAborted();
    return await use();
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof Error && error.name.startsWith('Mongo') ? engineError(error) : error;
  } finally {
    signal.removeEventListener('abort', closeAtAbort);
    await close();
  }
}
