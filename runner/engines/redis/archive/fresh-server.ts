/** A Redis that was started only for a load: waits until it serves, and until its data is on disk. */
import { setTimeout as delay } from 'node:timers/promises';
import type { FreshPlace } from '../../archive/archive.ts';
import { EngineError } from '../../engine-error.ts';
import { ask, info } from './cli.ts';

const pollMs = 100;
/** While a server reads or writes gigabytes, it reports that it is loading. A server without an answer for this long is treated as lost. */
const silenceMs = 180_000;

/** @throws EngineError when it never answers; the signal's reason */
export async function untilServing(place: FreshPlace): Promise<void> {
  const giveUpAt = performance.now() + silenceMs;
  for (let said = ''; performance.now() < giveUpAt || /LOADING/.test(said); await pause(place)) {
    said = await ask(place, 'PING').catch((error: unknown) => {
      if (error instanceof EngineError) return error.message;
      throw error;
    });
    if (said.trim() === 'PONG') return;
  }
  throw new EngineError('unavailable', 'The Redis server of the restore does not answer.');
}

/** Writes the data that the next start with `appendonly yes` reads. @throws EngineError; the signal's reason */
export async function writeAppendOnlyFile(place: FreshPlace): Promise<void> {
  const said = (await ask(place, 'CONFIG', 'SET', 'appendonly', 'yes')).trim();
  if (said !== 'OK')
    throw new EngineError('unavailable', `Redis refused to write its append-only file: ${said}`);
  for (;;) {
    const facts = await info(place, 'persistence');
    const isBusy = facts.get('aof_rewrite_in_progress') !== '0' || facts.get('aof_rewrite_scheduled') !== '0';
    // Redis tries again by itself after a failure, with pauses of up to an hour: a full disk would delay the load for that long.
    if (facts.get('aof_last_bgrewrite_status') !== 'ok')
      throw new EngineError(
        'unavailable',
        'Redis could not write its append-only file: look whether the disk of the host is full.',
      );
    if (!isBusy) return;
    await pause(place);
  }
}

const pause = ({ signal }: FreshPlace) =>
  delay(pollMs, undefined, { signal }).catch(() => signal.throwIfAborted());
