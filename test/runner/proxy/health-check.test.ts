import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { portAnswers } from '../../../runner/base/port-answers.ts';
import { type HealthTarget, waitUntilHealthy } from '../../../runner/proxy/health-check.ts';

let server: Server | undefined;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function serve(listener: RequestListener, path: string | null = '/up'): Promise<HealthTarget> {
  const listening = createServer(listener).listen(0, '127.0.0.1');
  server = listening;
  await new Promise((resolve) => listening.once('listening', resolve));
  const { port } = listening.address() as AddressInfo;
  return { address: '127.0.0.1', port, path, hostname: 'shop.example', scheme: 'https' };
}

const up = async () => undefined;
const never = new AbortController().signal;

test.each([200, 204, 301, 302, 399])(
  'a target that answers %i is healthy, and is asked as by a visitor of its name',
  async (status) => {
    let asked = '';
    const target = await serve((request, response) => {
      const { host, 'x-forwarded-proto': scheme, 'x-forwarded-host': name } = request.headers;
      asked = `${host}${request.url} ${scheme}://${name} for ${request.headers['x-forwarded-for']}`;
      response.writeHead(status, { location: 'http://169.254.169.254/' }).end();
    });
    expect(await waitUntilHealthy(target, up, never, { limitMs: 0 })).toEqual({ healthy: true });
    expect(asked).toBe('shop.example/up https://shop.example for 127.0.0.1');
  },
);

test.each([400, 404, 500, 503])('a target that answers %i is unhealthy', async (status) => {
  const target = await serve((_, response) => response.writeHead(status).end());
  expect(await waitUntilHealthy(target, up, never, { limitMs: 0 })).toEqual({
    healthy: false,
    reason: 'wrong-answer',
    detail: `status ${status}`,
  });
});

test('a target is healthy once it answers, however often it did not before', async () => {
  let asked = 0;
  const target = await serve((_, response) => {
    asked += 1;
    response.writeHead(asked < 3 ? 503 : 200).end();
  });
  expect(await waitUntilHealthy(target, up, never, { limitMs: 60_000 })).toEqual({ healthy: true });
  expect(asked).toBe(3);
});

test('a target is asked as often, and given as long for each try, as its service says', async () => {
  const asked: number[] = [];
  const target = await serve((_, response) => {
    asked.push(performance.now());
    if (asked.length === 2) response.writeHead(503).end(); // the first try is never answered
    if (asked.length === 3) response.writeHead(200).end();
  });
  const timing = { limitMs: 60_000, intervalMs: 400, timeoutMs: 100 };
  expect(await waitUntilHealthy(target, up, never, timing)).toEqual({ healthy: true });
  const [first = 0, second = 0, third = 0] = asked;
  expect(second - first).toBeGreaterThan(450);
  expect(third - second).toBeGreaterThan(350);
});

test('a target without a path needs an open port only', async () => {
  const target = await serve((_, response) => response.writeHead(500).end(), null);
  expect(await waitUntilHealthy(target, up, never, { limitMs: 0 })).toEqual({ healthy: true });
});

test('a target with a closed port is named as such', async () => {
  const target = await serve(() => undefined);
  server?.close();
  expect(await waitUntilHealthy(target, up, never, { limitMs: 0 })).toMatchObject({ reason: 'port-closed' });
  expect(await portAnswers(target.address, target.port, 1000)).toBe(false);
});

test('a target with a path that no request can carry is unhealthy, not an error', async () => {
  const target = await serve((_, response) => response.end());
  expect(await waitUntilHealthy({ ...target, path: '/a\r\nb' }, up, never, { limitMs: 0 })).toMatchObject({
    reason: 'wrong-answer',
  });
});

test('a container that has died ends the wait with its own reason', async () => {
  const target = await serve((_, response) => response.writeHead(503).end());
  const died = async () => {
    throw new Error('exit code 7');
  };
  await expect(waitUntilHealthy(target, died, never, { limitMs: 60_000 })).rejects.toThrow('exit code 7');
});

test('an abort ends the wait', async () => {
  const controller = new AbortController();
  const target = await serve((_, response) => {
    response.writeHead(503).end();
    controller.abort(new Error('stopped'));
  });
  await expect(waitUntilHealthy(target, up, controller.signal, { limitMs: 60_000 })).rejects.toThrow(
    'stopped',
  );
});
