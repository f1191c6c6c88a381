import { expect, test } from 'vitest';
import { logPurges } from '../../../../worker/store/schema/logs.ts';
import { purgeLogs } from '../../../../worker/usecases/logs/purge-logs.ts';
import { deps } from '../../../support/worker/api.ts';
import { linesFrom, newLog } from '../../../support/worker/log-lines.ts';
import { logs } from '../../../support/worker/log-reader.ts';

test('logs of deleted deployments are emptied, the longest waiting first; one that fails stays, and none waits behind it', async () => {
  const filled = newLog();
  await filled.stub.append(1, linesFrom(1, 3));
  const names = [filled.id, ...Array.from({ length: 24 }, () => newLog().id)];
  for (const [index, streamName] of names.entries()) {
    await deps.db.insert(logPurges).values({ streamName, createdAt: index });
  }
  const failing = names[1];
  const flaky = {
    ...logs,
    purge: (name: string) => (name === failing ? Promise.reject(new Error('no answer')) : logs.purge(name)),
  };
  const waiting = async () => (await deps.db.select().from(logPurges)).map((row) => row.streamName);

  expect(await purgeLogs({ ...deps, logs: flaky })).toBe(24);
  expect(await waiting()).toEqual([failing]);
  expect((await logs.read(filled.id, 0)).lines).toEqual([]);

  expect(await purgeLogs({ ...deps, logs })).toBe(1);
  expect(await waiting()).toEqual([]);
  expect(await purgeLogs({ ...deps, logs })).toBe(0);
});

test('as many failing logs as a pass takes do not stop those after them, even of the same moment', async () => {
  const names = Array.from({ length: 45 }, () => newLog().id).sort();
  await deps.db.insert(logPurges).values(names.map((streamName) => ({ streamName, createdAt: 7 })));
  const failing = new Set(names.slice(0, 25));
  const flaky = {
    ...logs,
    purge: (name: string) => (failing.has(name) ? Promise.reject(new Error('no answer')) : Promise.resolve()),
  };
  expect(await purgeLogs({ ...deps, logs: flaky })).toBe(20);
  expect(await deps.db.select().from(logPurges)).toHaveLength(25);
  await deps.db.delete(logPurges);
});

test('a run empties 800 logs, and stops when its 20 s are over', async () => {
  for (let done = 0; done < 850; done += 25) {
    await deps.db.insert(logPurges).values(
      Array.from({ length: 25 }, (_, index) => ({
        streamName: `log_${done + index}`,
        createdAt: done + index,
      })),
    );
  }
  const quick = { ...logs, purge: async () => {} };
  expect(await purgeLogs({ ...deps, logs: quick, now: () => 0 })).toBe(800);
  let now = 0;
  const slow = {
    ...logs,
    purge: async () => {
      now += 1_100;
    },
  };
  expect(await purgeLogs({ ...deps, logs: slow, now: () => now })).toBe(20);
});
