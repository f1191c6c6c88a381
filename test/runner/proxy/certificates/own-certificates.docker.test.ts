/** Certificates that owners bring along, over real Caddy with a real CA beside them. */
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { requestPlace } from '../../../../protocol/sealed-box.ts';
import type { ServiceNames } from '../../../../protocol/service-names.ts';
import { ownCertificateOperation } from '../../../../protocol/traffic/own-certificate.ts';
import { openSealedBox } from '../../../../runner/connection/sealed-box.ts';
import { ask } from '../../../support/docker/ask.ts';
import { routeTo, startApp, type TestApp } from '../../../support/docker/test-proxy.ts';
import { getSecurely, handshake, startTlsHost, type TlsHost } from '../../../support/docker/tls-host.ts';
import { type TestCa, testCa } from '../../../support/issued-certificate.ts';
import { seal } from '../../../support/runner/seal.ts';

const name = 'own.example.com';
const other = 'automatic.example.com';
const runnerId = 'rnr_aaaaaaaaaaaaaaaa';
const keys = generateKeyPairSync('x25519');
const sealingKey = String(keys.publicKey.export({ format: 'jwk' }).x);
let host: TlsHost;
let app: TestApp;
let ca: TestCa;

beforeAll(async () => {
  [host, app, ca] = await Promise.all([startTlsHost(), startApp('127.0.0.1', 'shop'), testCa()]);
  await host.proxy.traffic.switchTo(routeTo(app, { hostnames: [name, other] }));
});

afterAll(async () => {
  await app?.close();
  await host?.end();
});

type Issued = Awaited<ReturnType<TestCa['issue']>>;

const fingerprintOf = ({ leaf }: Issued) =>
  new X509Certificate(leaf).fingerprint256.replaceAll(':', '').toLowerCase();

function named(hostname: string, issued?: Issued, sealedFor = hostname): ServiceNames['names'][number] {
  const bare = { hostname, isCustom: true, isActive: true };
  if (!issued) return bare;
  const clear = JSON.stringify({ certificate: issued.chain, privateKey: issued.key });
  const sealed = seal(sealingKey, requestPlace(runnerId, ownCertificateOperation(sealedFor)), clear);
  return { ...bare, certificate: { fingerprint: fingerprintOf(issued), sealed } };
}

const open = (operation: string, sealed: string) =>
  openSealedBox(keys.privateKey, requestPlace(runnerId, operation), sealed);

async function set(...names: ServiceNames['names']): Promise<void> {
  host.proxy.ownCertificates.set(names, open);
  host.proxy.certificates.want(names.map(({ hostname }) => hostname));
  await host.proxy.ownCertificates.settled();
}

const served = async (at = name) => (await handshake(host.config.httpsPort, at)).issuer;
const directory = () => join(host.dataDir, 'caddy', 'own-certificates');

test('a name with a certificate of its owner serves that with its chain, at once, and orders none', async () => {
  const orders = host.ca.orders();
  const first = await ca.issue([name]);
  await set(named(name, first));
  expect(await getSecurely(host.config.httpsPort, name, ca.root)).toBe('shop');
  expect(host.stateOf(name)).toEqual({
    state: 'issued',
    expiresAt: new X509Certificate(first.leaf).validToDate.getTime(),
    detail: '',
  });
  expect(host.ca.orders()).toBe(orders);
  expect(readdirSync(directory())).toEqual([`${name}.pem`]);
  expect(statSync(join(directory(), `${name}.pem`)).mode & 0o777).toBe(0o600);
});

test('a certificate of an owner is replaced without a lost request and without a reload', async () => {
  await set(named(name, await ca.issue([name])));
  const pid = await host.pidOf('caddy');
  let going = true;
  const failures: string[] = [];
  let answers = 0;
  // A new connection for each request, so that each one needs the certificate.
  const client = async () => {
    while (going) {
      await getSecurely(host.config.httpsPort, name, ca.root).then(
        () => (answers += 1),
        (error: unknown) => failures.push(String(error)),
      );
    }
  };
  const clients = Array.from({ length: 4 }, client);
  for (let round = 0; round < 10; round += 1) {
    const next = await ca.issue([name]);
    await set(named(name, next));
    const { serial } = await handshake(host.config.httpsPort, name);
    expect(serial).toBe(new X509Certificate(next.leaf).serialNumber);
  }
  going = false;
  await Promise.all(clients);
  expect([failures, answers > 20]).toEqual([[], true]);
  expect(await host.pidOf('caddy')).toBe(pid);
});

test('a certificate of an owner replaces an automatic one that Caddy has in memory, which comes back without an order', async () => {
  await set(named(name));
  await host.reached(name, 'issued');
  expect(await served()).toContain('Pebble');
  const orders = host.ca.orders();
  await set(named(name, await ca.issue([name])));
  expect(await served()).toBe('Test CA');
  await set(named(name));
  expect(await served()).toContain('Pebble');
  expect(readdirSync(directory())).toEqual([]);
  expect([host.stateOf(name).state, host.ca.orders()]).toEqual(['issued', orders]);
});

test('certificates of owners outlast restarts of the runner and of Caddy, and other names have automatic ones', async () => {
  const own = named(name, await ca.issue([name]));
  await set(own, named(other));
  await host.reached(other, 'issued');
  await host.restart();
  // As long as the fingerprint is the same, nothing is opened.
  host.proxy.ownCertificates.set(
    [{ ...own, certificate: { fingerprint: own.certificate?.fingerprint ?? '' } }, named(other)],
    open,
  );
  process.kill(await host.pidOf('caddy'), 'SIGKILL');
  await expect.poll(() => served().catch(() => ''), { timeout: 20_000 }).toBe('Test CA');
  expect(await served(other)).toContain('Pebble');
});

test('a certificate that the control plane could not decrypt is missed in the state of its name, until it comes', async () => {
  const issued = await ca.issue([other]);
  const { certificate, ...bare } = named(other, issued);
  await set({ ...bare, certificate: { fingerprint: certificate?.fingerprint ?? '', sealed: null } });
  await host.reached(other, 'issued');
  expect(host.stateOf(other).detail).toMatch(/^The certificate that was given for it is not on this host/);
  expect(await served(other)).toContain('Pebble');
  await set(named(other, issued));
  expect([host.stateOf(other).detail, await served(other)]).toEqual(['', 'Test CA']);
});

test('a certificate for a wildcard is served for its names, and not for a name that another service has', async () => {
  const wide = routeTo(app, { serviceId: 'svc_wide', hostnames: ['*.wide.example.com'] });
  const exact = routeTo(app, { serviceId: 'svc_exact', hostnames: ['a.wide.example.com'] });
  await host.proxy.traffic.switchTo(wide);
  await set(named('*.wide.example.com', await ca.issue(['*.wide.example.com'])));
  expect(readdirSync(directory())).toEqual(['_w.wide.example.com.pem']);
  expect(host.stateOf('*.wide.example.com')).toMatchObject({ state: 'issued', detail: '' });
  for (const one of ['a.wide.example.com', 'b.wide.example.com'])
    expect(await getSecurely(host.config.httpsPort, one, ca.root)).toBe('shop');
  const visit = (at: string) => ask(host.config.httpPort, `${at}:${host.config.httpPort}`);
  expect([(await visit('a.wide.example.com')).status, (await visit('wide.example.com')).status]).toEqual([
    308, 404,
  ]);

  await host.proxy.traffic.switchTo(exact);
  await expect(handshake(host.config.httpsPort, 'a.wide.example.com')).rejects.toThrow();
  expect((await visit('a.wide.example.com')).status).toBe(200);
  expect(await served('b.wide.example.com')).toBe('Test CA');
  host.proxy.certificates.want(['*.wide.example.com', 'a.wide.example.com']);
  await host.reached('a.wide.example.com', 'issued');
  expect(await served('a.wide.example.com')).toContain('Pebble');
  await host.restart();
  expect(await served('b.wide.example.com')).toBe('Test CA');
  await Promise.all(['svc_wide', 'svc_exact'].map((id) => host.proxy.traffic.remove(id)));
});

test('a box for another name is not opened, the certificate of before stays, and the log says nothing of it', async () => {
  await set(named(name, await ca.issue([name])));
  const before = await handshake(host.config.httpsPort, name);
  const foreign = await ca.issue([name]);
  await set(named(name, foreign, other));
  expect((await handshake(host.config.httpsPort, name)).serial).toBe(before.serial);
  expect(host.reports.join()).toContain(`given for ${name} could not be stored`);
  expect(host.reports.join()).not.toContain('PRIVATE');
});

test('keys are in no log of Caddy, and nobody on the host gets them by its port', async () => {
  const issued = await ca.issue([name]);
  await set(named(name, issued));
  const port = host.config.webPorts.first;
  const asked = async (query: string, password?: string) => {
    const headers: Record<string, string> =
      password === undefined ? {} : { authorization: `Basic ${btoa(`proxy:${password}`)}` };
    const path = `/.longshore/own-certificate?server_name=${query}`;
    return (await ask(port, `127.0.0.1:${port}`, { path, headers })).body;
  };
  const secret = readFileSync(join(host.dataDir, 'caddy', 'own-certificates-secret'), 'utf8');
  expect(await asked(name)).not.toContain('PRIVATE');
  expect(await asked(name, 'x'.repeat(64))).not.toContain('PRIVATE');
  expect(await asked(name, secret)).toContain('PRIVATE');
  expect(await asked('../own-certificates-secret', secret)).toBe('');
  await pause(200);
  for (const file of readdirSync(join(host.dataDir, 'caddy')).filter((one) => one.includes('.log'))) {
    const text = readFileSync(join(host.dataDir, 'caddy', file), 'utf8');
    expect([file, text.includes('PRIVATE'), text.includes(secret)]).toEqual([file, false, false]);
  }
});
