/** What edge answers about requests for services that are asleep: a real server, time by hand. */

import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { edgeAnswers } from '../../../../runner/proxy/edge/edge-answers.ts';
import { heldRequests, holdHeaders, holdMs, holdPath } from '../../../../runner/proxy/edge/held-requests.ts';
import { routeTo } from '../../../support/docker/test-proxy.ts';
import { until } from '../../../support/runner/until.ts';

const directory = mkdtempSync(join(tmpdir(), 'longshore-held-'));
const socketPath = join(directory, 'held.sock');
let now = 0;
let isHeard = true;
let answers = tables(true);
let wakes = 0;
const held = heldRequests({
  answers: () => answers,
  wake: () => {
    wakes += 1;
    return isHeard;
  },
  now: () => now,
});
const server = createServer(held.listener);
beforeAll(() => new Promise<void>((resolve) => server.listen(socketPath, resolve)));
afterAll(() => {
  server.close();
  rmSync(directory, { recursive: true });
});

function tables(isAsleep: boolean) {
  const target = { type: 'container', address: '10.0.0.1', port: 80 } as const;
  const route = routeTo(
    { address: '', port: 0 },
    {
      hostnames: ['shop.localhost', '*.shop.localhost'],
      target: isAsleep ? { ...target, asleep: true } : target,
    },
  );
  return edgeAnswers({ version: 1, routes: [route] }, undefined, 0);
}

function ask(route: string, { method = 'POST', accept = '*/*' } = {}) {
  const asked = request({
    ...{ socketPath, path: holdPath, agent: false },
    headers: { [holdHeaders.route]: route, [holdHeaders.method]: method, [holdHeaders.accept]: accept },
  });
  const status = new Promise<number | undefined>((resolve, reject) => {
    asked.on('response', (answer) => resolve(answer.resume().statusCode)).on('error', reject);
  });
  asked.end();
  return { status, end: () => asked.destroy() };
}

const waiting = (count: number) => until(`${count} to be held`, () => held.size() === count);
const browser = { method: 'GET', accept: 'text/html,*/*' };

test('a request is held until its service is awake, and asks the runner again meanwhile', async () => {
  answers = tables(true);
  const all = ['shop.localhost', 'SHOP.localhost', 'a.shop.localhost'].map((name) => ask(name));
  await waiting(3);
  const before = wakes;
  held.look();
  expect([wakes > before, held.size()]).toEqual([true, 3]);
  answers = tables(false);
  held.look();
  expect(await Promise.all(all.map(({ status }) => status))).toEqual([204, 204, 204]);
});

test.each(['shop.localhost', 'unknown.example', ''])(
  'a request for "%s", which does not sleep, goes on at once',
  async (name) => {
    answers = tables(false);
    expect(await ask(name).status).toBe(204);
  },
);

test('a browser gets the page after 3 s, a program or an upload waits', async () => {
  answers = tables(true);
  const page = ask('shop.localhost', browser);
  const upload = ask('shop.localhost', { ...browser, method: 'POST' });
  await waiting(2);
  now += 2_999;
  held.look();
  expect(held.size()).toBe(2);
  now += 1;
  held.look();
  expect([await page.status, held.size()]).toEqual([503, 1]);
  now += holdMs;
  held.look();
  expect(await upload.status).toBe(204);
});

test('a request goes on if no runner hears it, and a client that has gone is forgotten', async () => {
  answers = tables(true);
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
