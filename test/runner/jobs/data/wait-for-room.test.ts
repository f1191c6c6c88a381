import { expect, test } from 'vitest';
import { ConnectionsFull } from '../../../../runner/engines/connections-full.ts';
import { EngineError } from '../../../../runner/engines/engine-error.ts';
import { waitForRoom } from '../../../../runner/jobs/data/wait-for-room.ts';

const full = () => new ConnectionsFull({ things: 'connections', setting: 'maxclients' });

/** Time passes only in pauses. */
function scene() {
  let now = 0;
  const stop = new AbortController();
  const said: string[] = [];
  const clock = {
    now: () => now,
    elapsed: () => now,
    after(delayMs: number, work: () => void) {
      now += delayMs;
      queueMicrotask(work);
      return () => {};
    },
  };
  return {
    stop,
    said,
    elapsed: () => now,
    wait: <T>(work: () => Promise<T>) =>
      waitForRoom({ signal: stop.signal, say: (sentence) => void said.push(sentence) }, work, clock),
  };
}

test('work on a full database is done when somebody has left, and said once', async () => {
  const { wait, said } = scene();
  let tries = 0;
  const work = async () => {
    tries += 1;
    if (tries < 4) throw full();
    return 'done';
  };
  expect(await wait(work)).toBe('done');
  expect(said).toEqual([`${full().message} Trying again for 5 minutes.`]);
});

test('a database that stays full ends the work after five minutes, with the reason', async () => {
  const { wait, elapsed } = scene();
  await expect(wait(() => Promise.reject(full()))).rejects.toThrow(/^All connections .* raise maxclients/);
  expect(elapsed()).toBe(300_000);
});

test('another failure ends the work at once', async () => {
  const { wait, said } = scene();
  await expect(wait(() => Promise.reject(new EngineError('unavailable', 'gone')))).rejects.toThrow('gone');
  expect(said).toEqual([]);
});

test('a job that is stopped no longer waits', async () => {
  const { wait, stop } = scene();
  const work = () => {
    stop.abort(new Error('stopped'));
    return Promise.reject(full());
  };
  await expect(wait(work)).rejects.toThrow('stopped');
});
