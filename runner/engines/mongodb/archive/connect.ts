/** Connections for work that moves all data: without the bounds of questions. */
import { setTimeout as delay } from 'node:timers/promises';
import type { MongoClient } from 'mongodb';
import type { DataPlace, FreshPlace } from '../../archive/archive.ts';
import { EngineError } from '../../engine-error.ts';
import { openClient } from '../client.ts';
import { engineError } from '../errors.ts';

/** Of one answer while data is read. */
const readSilenceMs = 5 * 60_000;
/** An index of a large collection takes long to make, and nothing is said meanwhile: as long as a job may take. */
const workSilenceMs = 6 * 3_600_000;
const pollMs = 500;
/** A first start makes the data files and the root user. */
const startTimeoutMs = 300_000;

/** @throws EngineError; the signal's reason */
export async function reading<T>(place: DataPlace, use: (client: MongoClient) => Promise<T>): Promise<T> {
  const client = await openClient(place.address, place.env, { socketTimeoutMS: readSilenceMs });
  return await closing(client, place.signal, () => use(client));
}

/** Waits for the server, which has just been started. @throws EngineError; the signal's reason */
export async function filling<T>(place: FreshPlace, use: (client: MongoClient) => Promise<T>): Promise<T> {
  const client = await untilServing(place);
  return await closing(client, place.signal, () => use(client));
}

/** While the image makes the root user its server takes connections in its own container alone. */
async function untilServing({ address, env, signal }: FreshPlace): Promise<MongoClient> {
  for (const giveUpAt = performance.now() + startTimeoutMs; ; ) {
    try {
      return await openClient(address, env, { socketTimeoutMS: workSilenceMs });
    } catch (error) {
      if (!(error instanceof EngineError) || performance.now() > giveUpAt) throw error;
      await delay(pollMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }
}

/** Whatever happens the client is closed; an abort closes it under the work. */
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
