/** Apps whose containers end under load, through the real proxy: requests wait until one answers, as for an app that sleeps. */
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../../runner/base/clock.ts';
import { type ReplicaWatch, watchReplicas } from '../../../runner/host/replica-watch.ts';
import { ask } from '../../support/docker/ask.ts';
import { keepAsking } from '../../support/docker/keep-asking.ts';
import {
  routeTo,
  startApp,
  startTestProxy,
  type TestApp,
  type TestProxy,
} from '../../support/docker/test-proxy.ts';
import { silentLogger } from '../../support/runner/silent-logger.ts';
import { until } from '../../support/runner/until.ts';

let host: TestProxy;
let shop: TestApp;
let watch: ReplicaWatch;
let ended = 0;

beforeEach(async () => {
  host = await startTestProxy();
  shop = await startApp('127.9.7.1', 'shop');
  ended = 0;
  const { traffic } = host.proxy;
  await traffic.switchTo(routeTo(shop, { hostPort: host.config.webPorts.first }));
  watch = watchReplicas({
    traffic,
    clock: systemClock,
    logger: silentLogger,
    exits: { endsOf: () => ended },
  });
});
afterEach(async () => {
  await watch.stop();
  await shop.close();
  await host.end();
});

const target = () => {
  const found = host.proxy.traffic.current('svc_shop')?.target;
  return found?.type === 'container' ? found : undefined;
};
const isAway = () => (target()?.awayUntil ?? 0) > Date.now();
/** On the same address and port, as a container that starts again. */
async function startAgain({ address, port, server }: TestApp) {
  await new Promise<void>((resolve) => server.listen(port, address, resolve));
}

/** Beyond the 5 s for which Caddy itself tries to connect. */
const longerThanCaddyTries = (from: number) =>
  until('Caddy to try no more', () => performance.now() > from + 6_000, 20_000);

test('a request without a body that met an app which had just ended waits for its next start', async () => {
  await shop.close();
  const from = performance.now();
  const asked = ask(host.config.httpPort, 'shop.localhost');
  // The runner sees the end only after Caddy has begun to try.
  await until('Caddy to try', () => performance.now() > from + 500);
  watch.changed('svc_shop');
  await until('it to be away', isAway);
  await longerThanCaddyTries(from);
  await startAgain(shop);
  expect(await asked).toMatchObject({ status: 200, body: 'shop' });
  await until('it to be back', () => !isAway());
});

test('while Docker is away, requests with and without a body wait at each door until the app answers', async () => {
  await shop.close();
  const from = performance.now();
  watch.dockerAway();
  await until('it to be away', isAway);
  const { httpPort, httpsPort, webPorts } = host.config;
  const load = keepAsking(httpPort, 'shop.localhost');
  const port = ask(webPorts.first, `127.0.0.1:${webPorts.first}`, { method: 'POST', body: 'x' });
  const secure = overTls(httpsPort);
  await longerThanCaddyTries(from);
  expect(load.answers()).toBe(0);
  await startAgain(shop);
  expect([(await port).body, await secure]).toEqual(['shop', 'shop']);
  await until('answers', () => load.answers() > 50);
  expect((await load.stop()).failures).toEqual([]);
});

test('requests for several replicas wait only while none of them answers', async () => {
  await host.proxy.traffic.switchTo(
    routeTo(shop, {
      target: { type: 'container', address: shop.address, port: shop.port, others: ['127.9.7.4'] },
    }),
  );
  watch.changed('svc_shop');
  await until('one to be out', () => target()?.down?.join() === '127.9.7.4');
  expect([isAway(), (await ask(host.config.httpPort, 'shop.localhost')).body]).toEqual([false, 'shop']);
  await shop.close();
  watch.changed('svc_shop');
  await until('none to be left', isAway);
  const asked = ask(host.config.httpPort, 'shop.localhost', { method: 'POST', body: 'x' });
  await startAgain(shop);
  expect((await asked).body).toBe('shop');
});

test('an app that has ended three times keeps nobody waiting', async () => {
  await shop.close();
  watch.changed('svc_shop');
  await until('it to be away', isAway);
  const asked = ask(host.config.httpPort, 'shop.localhost', { method: 'POST', body: 'x' });
  ended = 3;
  expect((await asked).status).toBe(502);
  ended = 0;
  watch.changed('svc_shop');
  expect((await ask(host.config.httpPort, 'shop.localhost', { method: 'POST', body: 'x' })).status).toBe(502);
  expect(isAway()).toBe(false);
});

function overTls(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const servername = 'shop.localhost';
    request(
      {
        ...{ host: '127.0.0.1', port, servername, method: 'POST' },
        rejectUnauthorized: false,
        headers: { host: servername },
      },
      (answer) => void text(answer).then(resolve, reject),
    )
      .on('error', reject)
      .end('x');
  });
}
