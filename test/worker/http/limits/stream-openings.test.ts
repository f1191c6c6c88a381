/** How many streams may begin at once: on a route of the test's own that waits for a gate. */
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { openingsMax, StreamOpenings } from '../../../../worker/http/limits/stream-openings.ts';
import { type AnyRoute, defineRoute } from '../../../../worker/http/route.ts';
import { createClient, deps, insertKey } from '../../../support/worker/api.ts';

let gate = Promise.withResolvers<void>();
let begun = 0;
const routes: AnyRoute[] = [
  defineRoute({
    method: 'GET',
    path: '/api/gated/stream',
    access: 'read',
    summary: '',
    reply: 'stream',
    events: z.unknown(),
    handle: async () => {
      begun += 1;
      await gate.promise;
      return new Response('event: ping\n\n', { headers: { 'content-type': 'text/event-stream' } });
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/plain',
    access: 'read',
    summary: '',
    reply: z.strictObject({}),
    handle: async () => ({}),
  }),
];
let now = Date.now();
const call = createClient({ dependenciesOf: () => ({ ...deps, now: () => now }) }, routes);
const { token } = await insertKey();
const open = (key = token) => call('GET', '/api/gated/stream', { token: key });
const toBegin = (count: number) => vi.waitFor(() => expect(begun).toBe(count), { timeout: 20_000 });

test('of many streams that a key opens at once a few begin, the others are refused for a moment', async () => {
  const first = Array.from({ length: openingsMax.caller }, () => open());
  await toBegin(openingsMax.caller);
  const refused = await Promise.all(Array.from({ length: 10 }, () => open()));
  expect(refused.map(({ status, body }) => [status, body.code])).toEqual(
    refused.map(() => [429, 'rate_limited']),
  );
  const waits = new Set(refused.map(({ headers }) => Number(headers.get('retry-after'))));
  expect([...waits].sort()).toEqual([1, 2, 3, 4, 5]);
  expect((await call('GET', '/api/plain', { token })).status).toBe(200);
  const other = open((await insertKey()).token);
  await toBegin(openingsMax.caller + 1);
  gate.resolve();
  const all = await Promise.all([...first, other]);
  expect(all.map(({ status }) => status)).toEqual(all.map(() => 200));
  expect((await open()).status).toBe(200);
});

test('a stream whose client left before it began takes its place for a short time only', async () => {
  gate = Promise.withResolvers();
  begun = 0;
  const lost = Array.from({ length: openingsMax.caller }, () => open());
  await toBegin(openingsMax.caller);
  expect((await open()).status).toBe(429);
  now += 20_000;
  const next = open();
  await toBegin(openingsMax.caller + 1);
  gate.resolve();
  await Promise.all(lost);
  expect((await next).status).toBe(200);
});

test('streams that many callers open at once are bounded together, and a place that is given back is free', () => {
  const openings = new StreamOpenings();
  const leave = Array.from({ length: openingsMax.all }, (_, index) => openings.enter(`caller ${index}`, now));
  expect(() => openings.enter('another', now)).toThrow('event streams are being opened at once');
  leave[0]?.();
  openings.enter('another', now);
});
