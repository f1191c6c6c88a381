/** What takes Caddy and a CA minutes: measured with a real CA (pebble), by its own counts. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { routeTo, startApp, type TestApp } from '../support/docker/test-proxy.ts';
import { handshake, startTlsHost, type TlsHost } from '../support/docker/tls-host.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startApp('127.0.0.1', 'shop');
});

afterAll(async () => {
  await app?.close();
});

async function startHost(hostnames: string[], validitySeconds?: number): Promise<TlsHost> {
  const host = await startTlsHost(validitySeconds === undefined ? {} : { validitySeconds });
  onTestFinished(() => host.end());
  await host.proxy.traffic.switchTo(routeTo(app, { hostnames, tlsNames: hostnames }));
  return host;
}

/** A CA's limit of failed checks of one name in an hour: https://letsencrypt.org/docs/rate-limits/ */
const failedChecksMax = 5;

test('a failing name costs the CA no more orders than allowed in an hour, however many visitors come', async () => {
  const host = await startHost(['nowhere.example.com', 'here.example.com']);
  host.ca.addresses.set('nowhere.example.com', null);
  host.proxy.certificates.want(['nowhere.example.com', 'here.example.com']);
  await Promise.all([
    host.reached('nowhere.example.com', 'failed'),
    host.reached('here.example.com', 'issued'),
  ]);
  // Caddy 2.6 tries for 180 s; then visitors' handshakes are refused at once, and would cost most if they cost anything.
  let [visits, served] = [0, 0];
  const endsAt = performance.now() + 240_000;
  while (performance.now() < endsAt) {
    const visit = handshake(host.config.httpsPort, 'nowhere.example.com').catch(() => undefined);
    visits += 1;
    await Promise.race([visit, pause(200)]);
    await handshake(host.config.httpsPort, 'here.example.com');
    served += 1;
    await pause(100);
  }
  const checks = host.ca.checks('nowhere.example.com');
  console.info(
    `${visits} visits in 240 s: ${host.ca.orders()} orders, ${checks} failed checks; ${served} others served`,
  );
  expect(checks).toBeLessThanOrEqual(failedChecksMax);
  expect(host.stateOf('nowhere.example.com').state).toBe('failed');
});

test('a CA that was down gives its certificate within two minutes of its return', async () => {
  const host = await startHost(['late.example.com']);
  await host.ca.down();
  host.proxy.certificates.want(['late.example.com']);
  const { detail } = await host.reached('late.example.com', 'failed');
  expect(detail).toContain("The CA can't be reached");
  await host.ca.up();
  const from = performance.now();
  const issued = () => host.stateOf('late.example.com');
  while (issued().state !== 'issued' && performance.now() < from + 120_000) await pause(200);
  console.info(`issued ${Math.round((performance.now() - from) / 1_000)} s after the CA's return`);
  expect(issued()).toMatchObject({ state: 'issued', detail: '' });
});

test('visitors alone renew a certificate without the runner, and none sees it expired', async () => {
  const host = await startHost(['shop.example.com'], 24);
  host.proxy.certificates.want(['shop.example.com']);
  await host.reached('shop.example.com', 'issued');
  const root = await host.ca.issuingRoot();
  await host.proxy.stop();
  const serials = new Set<string>();
  const endsAt = performance.now() + 60_000;
  while (performance.now() < endsAt) {
    const { serial, expiresAt } = await handshake(host.config.httpsPort, 'shop.example.com', root);
    expect(expiresAt).toBeGreaterThan(Date.now());
    serials.add(serial);
    await pause(250);
  }
  console.info(`${serials.size} certificates of 24 s within 60 s`);
  expect(serials.size).toBeGreaterThanOrEqual(3);
});
