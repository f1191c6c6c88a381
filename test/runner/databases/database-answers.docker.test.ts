/** What becomes of a question on its way to a session; the container is real, the engine is the test's. */
import { beforeAll, expect, test } from 'vitest';
import type { DatabaseAsk } from '../../../protocol/database.ts';
import { systemClock } from '../../../runner/base/clock.ts';
import { createDatabaseAnswers, queryCaps } from '../../../runner/databases/database-answers.ts';
import type { BrowsableEngine, EngineSession } from '../../../runner/engines/engine.ts';
import { EngineError } from '../../../runner/engines/engine-error.ts';
import { engines } from '../../../runner/engines/index.ts';

import { createLiveContainer, idle } from '../../support/docker/live-container.ts';
import { useTestHost } from '../../support/docker/use-scenes.ts';

const host = useTestHost();
let serviceId: string;
beforeAll(async () => {
  const made = await createLiveContainer(host.docker, idle, {
    env: { REDIS_PASSWORD: 'from the container' },
  });
  await made.container.start();
  serviceId = made.serviceId;
});

/** Answers of an engine that is Redis but for what the test says. */
function answersOf(changes: Partial<BrowsableEngine>, now = () => systemClock.now()) {
  const engine: BrowsableEngine = {
    ...engines.redis,
    ping: async () => {},
    connect: async () => session({}),
    ...changes,
  };
  const clock = { ...systemClock, now };
  const answers = createDatabaseAnswers({
    docker: host.docker,
    clock,
    engines: { ...engines, redis: engine },
  });
  return {
    ...answers,
    ask: (ask: DatabaseAsk) => answers.answer({ op: 'database', serviceId, engine: 'redis', ask }),
  };
}

const session = (methods: Partial<EngineSession>) => ({ close: async () => {}, ...methods }) as EngineSession;
const tables: DatabaseAsk = { action: 'tables' };

test('a session is opened once, with address and environment of the container, and closed at the end', async () => {
  const opened: unknown[] = [];
  let closed = 0;
  const { ask, close } = answersOf({
    async connect({ port }, { REDIS_PASSWORD }) {
      opened.push([port, REDIS_PASSWORD]);
      return session({
        tables: async () => ({ tables: [] }),
        query: async (_, caps) => ({
          columns: [],
          rows: [{ caps: caps.timeoutMs }],
          rowCount: 1,
          truncated: false,
        }),
        close: async () => void closed++,
      });
    },
  });
  expect(await ask(tables)).toEqual({ tables: [] });
  expect(await ask({ action: 'query', text: 'x' })).toMatchObject({ rows: [{ caps: queryCaps.timeoutMs }] });
  expect(opened).toEqual([[5432, 'from the container']]);
  await close();
  expect(closed).toBe(1);
});

test('a database that does not serve yet is "not running" at first and "unavailable" later', async () => {
  const ping = async () => {
    throw new EngineError('unavailable', 'LOADING the dataset');
  };
  await expect(answersOf({ ping }).ask(tables)).rejects.toMatchObject({
    code: 'not_running',
    message: expect.stringMatching(/still starting: try again in a moment. \(LOADING/),
  });
  const later = answersOf({ ping }, () => systemClock.now() + 120_000);
  await expect(later.ask(tables)).rejects.toMatchObject({
    code: 'unavailable',
    message: 'LOADING the dataset',
  });
});

test('an unexpected driver error is reported without its words, which may hold values', async () => {
  const { ask } = answersOf({
    connect: async () => session({ tables: () => Promise.reject(new TypeError('the value secret-row')) }),
  });
  await expect(ask(tables)).rejects.toMatchObject({
    code: 'unavailable',
    message: 'The driver of the database failed (TypeError).',
  });
});

test('an answer that is too large to send is refused with a way out', async () => {
  const rows = Array.from({ length: 5 }, () => ({ value: 'x'.repeat(1_000_000) }));
  const { ask } = answersOf({
    connect: async () =>
      session({ rows: async ({ limit }) => ({ columns: [], rows: rows.slice(0, limit), total: 5 }) }),
  });
  const page = (limit: number): DatabaseAsk => ({ action: 'rows', table: 't', limit, offset: 0 });
  await expect(ask(page(5))).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringMatching(/5\.0 MB, and the limit is 4 MB: ask for fewer rows/),
  });
  expect(await ask(page(3))).toMatchObject({ total: 5 });
});
