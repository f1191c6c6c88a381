/** What visitors are told when no app answers, over real Caddy: the name of the site, and nothing of the host behind it. */
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Route } from '../../../runner/proxy/traffic.ts';
import { ask } from '../../support/docker/ask.ts';
import { routeTo, startApp, type TestApp } from '../../support/docker/test-proxy.ts';
import { useTestProxy } from '../../support/docker/use-scenes.ts';
import { noTrafficRules } from '../../support/runner/no-traffic-rules.ts';

const host = useTestProxy();
const appAddress = '127.9.0.9';
let app: TestApp;

beforeAll(async () => {
  app = await startApp(appAddress, ({ url, socket }) => {
    if (url === '/crash') socket.destroy();
  });
});

afterAll(() => app?.close());

const container = () => ({ type: 'container' as const, address: appAddress, port: app.port });
const gone = { type: 'container' as const, address: '127.9.0.10', port: 1 };

const cases: [string, number, (name: string) => Partial<Route>, string?][] = [
  ['an app that closes the connection', 502, () => ({ target: container() }), '/crash'],
  ['an app that does not listen', 502, () => ({ target: gone })],
  [
    'an app that is late',
    504,
    () => ({ target: container(), rules: { ...noTrafficRules, firstByteTimeoutSeconds: 5 } }),
  ],
  [
    'a service that is asleep while it wakes',
    503,
    () => ({
      target: { ...container(), asleep: true },
      sleep: { asleepSince: 1, lastWokeAt: null, lastWakeMs: null },
    }),
  ],
  [
    'a service that did not start when it was asked for',
    503,
    () => ({
      target: { ...container(), asleep: true, retryAt: Date.now() + 60_000 },
      sleep: { asleepSince: 1, lastWokeAt: null, lastWakeMs: null },
    }),
  ],
  ['a stopped service', 503, () => ({ target: { type: 'stopped' } })],
  [
    'maintenance',
    503,
    () => ({
      target: container(),
      rules: { ...noTrafficRules, maintenance: { domains: [], retryAfterSeconds: 60, allowedAddresses: [] } },
    }),
  ],
];

test.each(cases)(
  'the page for %s names the site and nothing of the host',
  { tags: 'slow' },
  async (what, status, route, path = '/') => {
    const number = cases.findIndex(([one]) => one === what);
    const name = `${what.replaceAll(' ', '-')}.localhost`;
    await host.proxy.traffic.switchTo(
      routeTo(app, {
        serviceId: `svc_${number}`,
        deploymentId: `dep_${number}`,
        hostnames: [name],
        ...route(name),
      }),
    );
    const addresses = Object.values(networkInterfaces()).flatMap((all = []) =>
      all.map(({ address }) => address),
    );
    for (const accept of ['text/html,*/*;q=0.8', 'text/plain']) {
      // A program that asks for a service that is asleep is held; its page is for browsers.
      if (accept === 'text/plain' && what.includes('asleep')) continue;
      const reply = await ask(host.config.httpPort, name, { path, headers: { accept } });
      expect(reply.status).toBe(status);
      expect(reply.headers['content-type']).toContain(accept.slice(0, 9));
      expect(reply.body).toContain(name);
      const { date: _, ...headers } = reply.headers;
      const told = `${JSON.stringify(headers)}\n${reply.body}`;
      for (const secret of [
        ...addresses,
        appAddress,
        `${app.port}`,
        host.dataDir,
        'svc_',
        'dep_',
        'ls.internal',
      ])
        expect(told).not.toContain(secret);
    }
  },
);
