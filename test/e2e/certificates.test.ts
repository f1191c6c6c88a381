/** Certificates, end to end: the real Worker, runner, edge and Caddy, and a CA that checks names as Let's Encrypt does. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getSecurely } from '../support/docker/tls-host.ts';
import { freePorts } from '../support/free-ports.ts';
import { webApp } from '../support/instance/repository.ts';
import { useInstance, useRepositories } from '../support/instance/use-instance.ts';
import { type Pebble, startPebble } from '../support/servers/pebble.ts';

let ca: Pebble;
let proxyPorts: [number, number];

beforeAll(async () => {
  const [httpPort = 0, tlsPort = 0] = await freePorts(2);
  proxyPorts = [httpPort, tlsPort];
  ca = await startPebble({ httpPort, tlsPort });
});
afterAll(() => ca?.close());

const repositories = useRepositories();
const longshore = useInstance(() => ({
  proxyPorts,
  env: { LONGSHORE_ACME_CA: `https://127.0.0.1:${ca.port}/dir`, LONGSHORE_ACME_CA_ROOT: ca.serverRoot },
}));

test('a service below the root domain answers over HTTPS with a certificate of the CA without any request', async () => {
  await repositories.add('shop', webApp('shop'));
  await longshore.operate('PATCH', '/api/system/settings', { rootDomain: 'apps.example.com' });
  const project = await longshore.newProject('Certificates');
  const service = await longshore.newService(project, { name: 'shop', repoUrl: `${repositories.url}/shop` });
  expect(ca.orders()).toBe(0);
  await longshore.deploy(service.id);

  await expect.poll(() => ca.checks('shop.apps.example.com'), { timeout: 20_000 }).toBeGreaterThan(0);
  const root = await ca.issuingRoot();
  const visit = () => getSecurely(longshore.httpsPort, 'shop.apps.example.com', root);
  await expect.poll(() => visit().catch(String), { timeout: 20_000 }).toBe('shop ');
  const orders = ca.orders();

  await longshore.stop();
  await longshore.start();
  expect(await visit()).toBe('shop ');
  expect(ca.orders()).toBe(orders);
});
