/** What edge answers about requests for services that are asleep, or stopped for a moment: a real server, time by hand. */

import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { edgeAnswers } from '../../../../runner/proxy/edge/edge-answers.ts';
import {
  heldRequests,
  holdHeaders,
  holdMs,
  holdPath,
  waitReasonHeader,
  waitReasons,
} from '../../../../runner/proxy/edge/held-requests.ts';
import { routeTo } from '../../../support/docker/test-proxy.ts';
import { until } from '../../../support/runner/until.ts';

const directory = mkdtempSync(join(tmpdir(), 'longshore-held-'));
const socketPath = join(directory, 'held.sock');
const most = { service: 4, all: 10 };
let now = 0;
let epoch = Date.UTC(2026, 0, 1);
let isHeard = true;
let answers = tables({ asleep: true });
let wakes = 0;
const held = heldRequests({
  answers: () => answers,
  wake: () => {
    wakes += 1;
    return isHeard;
  },
  now: () => now,
  epoch: () => epoch,
  most,
});
const server = createServer(held.listener);
beforeAll(() => new Promise<void>((resolve) => server.listen(socketPath, resolve)));
afterAll(() => {
  server.close();
  rmSync(directory, { recursive: true });
});

function tables(state: { asleep?: true; heldUntil?: number; retryAt?: number }) {
  const target = { type: 'container', address: '10.0.0.1', port: 80 } as const;
  const route = routeTo(
    { address: '', port: 0 },
    {
      hostnames: ['shop.localhost', '*.shop.localhost'],
      target: { ...target, ...state },
    },
  );
  return edgeAnswers({ version: 1, routes: [route] }, undefined, 0);
}

function ask(route: string, { method = 'POST', accept = '*/*' } = {}) {
  const asked = request({
    ...{ socketPath, path: holdPath, agent: false },
    headers: { [holdHeaders.route]: route, [holdHeaders.method]: method, [holdHeaders.accept]: accept },
  });
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    asked.on('response', (given) => resolve(given.resume())).on('error', reject);
  });
  asked.end();
  const status = answer.then(({ statusCode }) => statusCode);
  const reason = answer.then(({ headers }) => headers[waitReasonHeader.toLowerCase()]);
  for (const one of [answer, status, reason]) one.catch(() => undefined);
  return { status, reason, end: () => asked.destroy() };
}

const waiting = (count: number) => until(`${count} to be held`, () => held.size() === count);
const browser = { method: 'GET', accept: 'text/html,*/*' };

test('a request is held until its service is awake, and asks the runner again meanwhile', async () => {
  answers = tables({ asleep: true });
  const all = ['shop.localhost', 'SHOP.localhost', 'a.shop.localhost'].map((name) => ask(name));
  await waiting(3);
  const before = wakes;
  held.look();
  expect([wakes > before, held.size()]).toEqual([true, 3]);
  answers = tables({});
  held.look();
  expect(await Promise.all(all.map(({ status }) => status))).toEqual([204, 204, 204]);
});

test.each(['shop.localhost', 'unknown.example', ''])(
  'a request for "%s", which does not sleep, goes on at once',
  async (name) => {
    answers = tables({});
    expect(await ask(name).status).toBe(204);
  },
);

test('a request for a service that is stopped for a moment is held until another version is served, and wakes nothing', async () => {
  answers = tables({ heldUntil: epoch + holdMs });
  const before = wakes;
  const all = ['shop.localhost', 'a.shop.localhost'].map((name) => ask(name));
  await waiting(2);
  held.look();
  expect([wakes - before, held.size()]).toEqual([0, 2]);
  answers = tables({});
  held.look();
  expect(await Promise.all(all.map(({ status }) => status))).toEqual([204, 204]);
});

test.each([
  ['has passed', -1],
  ['is now', 0],
  ['is further away than any that is set, because the clock was set back', holdMs + 1],
])('a request goes on at once when the time until which it is to wait %s', async (_, fromNow) => {
  answers = tables({ heldUntil: epoch + fromNow });
  expect(await ask('shop.localhost').status).toBe(204);
});

test('a request goes on when the time until which it is to wait passes, whoever forgot it', async () => {
  answers = tables({ heldUntil: epoch + 1_000 });
  const upload = ask('shop.localhost');
  await waiting(1);
  epoch += 1_000;
  held.look();
  expect(await upload.status).toBe(204);
});

test('a request above the number that may wait for a service is answered 503 at once', async () => {
  answers = tables({ heldUntil: epoch + holdMs });
  const all = Array.from({ length: most.service }, () => ask('shop.localhost'));
  await waiting(most.service);
  const refused = ask('a.shop.localhost', browser);
  expect([await refused.status, await refused.reason]).toEqual([503, undefined]);
  all.pop()?.end();
  await waiting(most.service - 1);
  const last = ask('shop.localhost');
  await waiting(most.service);
  answers = tables({});
  held.look();
  expect(await last.status).toBe(204);
  await Promise.all(all.map(({ status }) => status));
  expect(held.size()).toBe(0);
});

test('a browser gets the page after 3 s, a program or an upload waits', async () => {
  answers = tables({ asleep: true });
  const page = ask('shop.localhost', browser);
  const upload = ask('shop.localhost', { ...browser, method: 'POST' });
  await waiting(2);
  now += 2_999;
  held.look();
  expect(held.size()).toBe(2);
  now += 1;
  held.look();
  expect([await page.status, held.size()]).toEqual([503, 1]);
  expect(await page.reason).toBe(waitReasons.asleep);
  now += holdMs;
  held.look();
  expect(await upload.status).toBe(204);
});

test('requests for a service that could not be started are answered so at once, and wake it again after some time', async () => {
  answers = tables({ asleep: true });
  const upload = ask('shop.localhost');
  await waiting(1);
  answers = tables({ asleep: true, retryAt: epoch + 5_000 });
  held.look();
  const before = wakes;
  for (const refused of [upload, ask('shop.localhost'), ask('a.shop.localhost', browser)])
    expect([await refused.status, await refused.reason]).toEqual([503, waitReasons.failed]);
  expect(wakes).toBe(before);
  epoch += 5_000;
  const next = ask('shop.localhost');
  await waiting(1);
  expect(wakes).toBe(before + 1);
  answers = tables({});
  held.look();
  expect(await next.status).toBe(204);
});

test('a request goes on if no runner hears it, and a client that has gone is forgotten', async () => {
  answers = tables({ asleep: true });
  const gone = ask('shop.localhost');
  gone.status.catch(() => undefined);
  const lost = ask('shop.localhost');
  await waiting(2);
  gone.end();
  await waiting(1);
  isHeard = false;
  held.look();
  expect(await lost.status).toBe(204);
});
