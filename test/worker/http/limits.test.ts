/** Requests per key, failed sign-ins per address: 429 with the time to wait, without a round trip of its own. */
import { env } from 'cloudflare:workers';
import { beforeEach, expect, test } from 'vitest';
import { minuteMs, minuteOf } from '../../../worker/domain/values/minute-counts.ts';
import { isolateMemory } from '../../../worker/http/isolate-memory.ts';
import {
  type Client,
  createClient,
  deps,
  insertKey,
  type Json,
  operatorToken,
} from '../../support/worker/api.ts';

let now: number;
let call: Client;

const clientWith = (gatherMs = 0) =>
  createClient({
    dependenciesOf: () => ({ ...deps, now: () => now }),
    memory: isolateMemory({ signInGatherMs: gatherMs }),
  });

beforeEach(async () => {
  // A minute of its own for each test, 20 s into it.
  now = (minuteOf(now ?? Date.now()) + 5) * minuteMs + 20_000;
  call = clientWith();
  await env.DB.batch([env.DB.prepare('delete from settings'), env.DB.prepare('delete from failed_sign_ins')]);
});

const set = (settings: Json) =>
  call('PATCH', '/api/system/settings', { token: operatorToken, body: settings });
const list = (token: string) => call('GET', '/api/projects', { token });
const statuses = (replies: { status: number }[]) => replies.map(({ status }) => status);

async function inTurn<Result>(count: number, one: () => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (let left = count; left > 0; left--) results.push(await one());
  return results;
}

test('requests of a key past the limit of a minute are 429 with the time to wait, and pass afterwards', async () => {
  const { token } = await insertKey();
  await set({ readsPerMinute: 2 });
  const replies = await inTurn(4, () => list(token));
  expect(statuses(replies)).toEqual([200, 200, 429, 429]);
  expect(replies[2]?.headers.get('retry-after')).toBe('40');
  expect(replies[2]?.body).toMatchObject({
    code: 'rate_limited',
    error: expect.stringContaining('2 read requests'),
  });
  now += 40_000;
  expect((await list(token)).status).toBe(200);
});

test('requests of a key are counted for each key alone, reads and writes apart, refused ones as well', async () => {
  const [one, other] = [await insertKey(), await insertKey({ access: 'read' })];
  await set({ readsPerMinute: 1, writesPerMinute: 2 });
  const write = (token: string) => call('POST', '/api/projects', { token, body: { nonsense: 1 } });
  expect(statuses(await inTurn(2, () => list(one.token)))).toEqual([200, 429]);
  expect(statuses(await inTurn(3, () => write(one.token)))).toEqual([400, 400, 429]);
  expect((await list(other.token)).status).toBe(200);
  expect(statuses(await inTurn(3, () => write(other.token)))).toEqual([403, 403, 429]);
});

test('requests of a key stay limited through a rotation: the limit is of the key, not of its token', async () => {
  const { id, token } = await insertKey();
  await set({ readsPerMinute: 1 });
  expect((await list(token)).status).toBe(200);
  const rotated = await call('POST', `/api/system/keys/${id}/rotate`, { token: operatorToken });
  expect((await list(rotated.body.token)).status).toBe(429);
});

test('a changed limit holds within seconds, and settings that make no sense are refused', async () => {
  const { token } = await insertKey();
  expect((await list(token)).status).toBe(200);
  await set({ readsPerMinute: 1 });
  expect((await list(token)).status).toBe(200);
  now += 5_000;
  expect((await list(token)).status).toBe(429);
  for (const settings of [{ readsPerMinute: 0 }, { writesPerMinute: 1.5 }, { auditDays: 'long' }]) {
    expect((await set(settings)).status).toBe(400);
  }
});

const signIn = (token: string | undefined, address: string) =>
  call('GET', '/api/projects', { token, headers: { 'cf-connecting-ip': address } });
const wrong = async () => (await insertKey()).token.replace(/^lsk_.{8}/, 'lsk_00000000');

test('failed sign-ins past the limit are 429 for known and unknown tokens alike; other addresses are let in', async () => {
  await env.DB.prepare(`insert into settings values ('failedSignInsPerMinute', '3', 0)`).run();
  await list((await insertKey()).token);
  const replies = await inTurn(4, () => signIn('garbage', '192.0.2.1'));
  expect(statuses(replies)).toEqual([401, 401, 401, 429]);
  expect(replies[3]?.headers.get('retry-after')).toBe('40');
  const { token } = await insertKey();
  expect((await signIn(token, '192.0.2.1')).body.code).toBe('rate_limited');
  expect((await signIn(token, '192.0.2.2')).status).toBe(200);
  now += 40_000;
  expect((await signIn(token, '192.0.2.1')).status).toBe(200);
});

test('the limit of failed sign-ins that the operator has set holds where no key was ever looked up', async () => {
  await env.DB.prepare(`insert into settings values ('failedSignInsPerMinute', '2', 0)`).run();
  const headers = { 'cf-connecting-ip': '192.0.2.7' };
  const finish = () =>
    call('POST', '/api/sign-in/oidc/finish', { body: { proof: '', response: '' }, headers });
  expect(statuses(await inTurn(3, finish))).toEqual([401, 401, 429]);
  call = clientWith();
  expect(statuses(await inTurn(3, () => signIn('garbage', '192.0.2.8')))).toEqual([401, 401, 429]);
});

test('an address over the limit costs D1 nothing; who was right here before and the operator are let in', async () => {
  const { token } = await insertKey();
  await env.DB.prepare(`insert into settings values ('failedSignInsPerMinute', '2', 0)`).run();
  let lookUps = 0;
  const counting = new Proxy(deps.db, {
    get(target, name) {
      if (name === 'batch') lookUps++;
      return Reflect.get(target, name);
    },
  });
  const counted = { ...deps, now: () => now, db: counting };
  const memory = isolateMemory({ signInGatherMs: 0 });
  const client = createClient({ dependenciesOf: () => counted, memory });
  const ask = (path: string, as: string) =>
    client('GET', path, { token: as, headers: { 'cf-connecting-ip': '192.0.2.1' } });
  expect((await ask('/api/projects', token)).status).toBe(200);
  await inTurn(3, () => ask('/api/projects', 'garbage'));
  const looked = lookUps;
  expect((await ask('/api/projects', await wrong())).status).toBe(429);
  expect(lookUps).toBe(looked);
  expect((await ask('/api/projects', token)).status).toBe(200);
  expect((await ask('/api/system/settings', operatorToken)).status).toBe(200);
});

test('failed sign-ins of an address are counted in one row a minute and address, all of a few seconds in one write', async () => {
  const slow = clientWith(30);
  const fail = (address: string) =>
    slow('GET', '/api/projects', { token: 'garbage', headers: { 'cf-connecting-ip': address } });
  await Promise.all([
    ...Array.from({ length: 5 }, () => fail('192.0.2.1')),
    ...Array.from({ length: 2 }, (_, index) => fail(`2001:db8:0:1::${index}`)),
  ]);
  await fail('192.0.2.1');
  const { results } = await env.DB.prepare('select * from failed_sign_ins order by count').all<Json>();
  expect(results.map(({ minute, count }) => [minute, count])).toEqual([
    [minuteOf(now), 2],
    [minuteOf(now), 6],
  ]);
  expect(JSON.stringify(results)).not.toContain('192.0.2');
  const shown = await call('GET', '/api/system/failed-sign-ins', { token: operatorToken });
  expect(shown.body.failedSignIns.map(({ count }: Json) => count)).toEqual([6, 2]);
});
