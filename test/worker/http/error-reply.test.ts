/** What becomes of failures below the API. */
import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import { runScheduledWork } from '../../../worker/scheduled.ts';
import { openDatabase } from '../../../worker/store/sql/database.ts';
import { isStoreFailure, violates } from '../../../worker/store/sql/store-failure.ts';
import { createClient, deps, insertKey, insertProject } from '../../support/worker/api.ts';

/** D1 as it is when it can't be reached. */
function lostDatabase() {
  const fail = async () => {
    throw new Error('D1_ERROR: Network connection lost.');
  };
  const statement: object = { bind: () => statement, all: fail, run: fail, raw: fail, first: fail };
  return openDatabase({ prepare: () => statement, batch: fail } as unknown as D1Database);
}

test('a store that does not answer is 503 unavailable, with a time to wait', async () => {
  const { token } = await insertKey();
  const call = createClient({ dependenciesOf: () => ({ ...deps, db: lostDatabase() }) });
  for (const [method, path] of [
    ['GET', '/api/projects'],
    ['POST', '/api/projects'],
  ] as const) {
    const reply = await call(method, path, { token, body: method === 'POST' ? { name: 'a' } : undefined });
    expect([reply.status, reply.body.code, reply.headers.get('retry-after')]).toEqual([
      503,
      'unavailable',
      '2',
    ]);
    expect(reply.text).not.toContain('D1');
  }
});

test('a mistake in a statement, or a broken rule of the schema, does not count as a store failure', async () => {
  const failure = async (query: string) =>
    env.DB.prepare(query)
      .run()
      .then(() => undefined)
      .catch((error: unknown) => error);
  const { id } = await insertProject();
  const syntax = await failure('selekt 1');
  const column = await failure('select nothing from projects');
  const unique = await failure(`insert into projects select * from projects where id = '${id}'`);
  const foreign = await failure(`update projects set tenant_id = 'ten_none' where id = '${id}'`);
  for (const error of [syntax, column, unique, foreign]) {
    expect(error).toBeInstanceOf(Error);
    expect(isStoreFailure(error)).toBe(false);
  }
  expect([violates(unique, 'UNIQUE'), violates(foreign, 'FOREIGN KEY'), violates(syntax, 'UNIQUE')]).toEqual([
    true,
    true,
    false,
  ]);
});

test('each part of the scheduled work fails alone', async () => {
  const done: string[] = [];
  await runScheduledWork(deps, {
    broken: () => {
      throw new Error('first');
    },
    rejected: async () => {
      throw new Error('second');
    },
    fine: async () => done.push('fine'),
  });
  expect(done).toEqual(['fine']);
});

test('answers carry the security headers and forbid caching', async () => {
  const { headers } = await createClient()('GET', '/api/projects');
  expect(Object.fromEntries(headers)).toMatchObject({
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'content-security-policy': expect.stringContaining("default-src 'none'"),
  });
});

test('an address where nothing is answers a browser with the page that says so, and programs and the API with JSON', async () => {
  const call = createClient();
  const ask = async (path: string, accept: string, method = 'GET') => {
    const { status, headers } = await call(method, path, { headers: { accept } });
    return [status, headers.get('content-type')?.split(';')[0]];
  };
  const browser = 'text/html,application/xhtml+xml,*/*;q=0.8';
  expect(await ask('/nowhere', browser)).toEqual([404, 'text/html']);
  expect(await ask('/nowhere', '*/*')).toEqual([404, 'application/json']);
  expect(await ask('/nowhere', browser, 'POST')).toEqual([404, 'application/json']);
  expect(await ask('/api', browser)).toEqual([404, 'application/json']);
  expect(await ask('/api/nowhere', browser)).toEqual([404, 'application/json']);
  expect(await ask('/dashboard/nowhere.js', browser)).toEqual([404, 'application/json']);
});
