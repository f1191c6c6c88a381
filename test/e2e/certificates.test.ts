/** Certificates, end to end: the real Worker, runner, edge and Caddy, and a CA that checks names as Let's Encrypt does. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getSecurely } from '../support/docker/tls-host.ts';
import { freePorts } from '../support/free-ports.ts';
import { type Longshore, startLongshore } from '../support/instance/longshore.ts';
import { createRepository, repositoryRoot, webApp } from '../support/instance/repository.ts';
import { type GitServer, serveGit } from '../support/servers/git-server.ts';
import { type Pebble, startPebble } from '../support/servers/pebble.ts';

let ca: Pebble;
let longshore: Longshore;
let repositories: Awaited<ReturnType<typeof repositoryRoot>>;
let git: GitServer;

beforeAll(async () => {
  const [httpPort = 0, tlsPort = 0] = await freePorts(2);
  ca = await startPebble({ httpPort, tlsPort });
  repositories = await repositoryRoot();
  git = await serveGit(repositories.root);
  longshore = await startLongshore({
    proxyPorts: [httpPort, tlsPort],
    env: { LONGSHORE_ACME_CA: `https://127.0.0.1:${ca.port}/dir`, LONGSHORE_ACME_CA_ROOT: ca.serverRoot },
  });
  await createRepository(repositories.root, 'shop', webApp('shop'));
});

afterAll(async () => {
  await longshore?.stop({ all: true });
  await git?.close();
  await repositories?.remove();
  await ca?.close();
});

test('a service below the root domain answers over HTTPS with a certificate of the CA that nobody had to request', async () => {
  const settings = { rootDomain: 'apps.example.com' };
  await longshore.call('PATCH', '/api/system/settings', settings, longshore.operatorToken);
  const created = await longshore.call('POST', '/api/projects', { name: 'Certificates', description: '' });
  const services = `/api/projects/${created.body.project.id}/services`;
  const { service } = (await longshore.call('POST', services, { name: 'shop', repoUrl: `${git.url}/shop` }))
    .body;
  expect(ca.orders()).toBe(0);
  const queued = await longshore.call('POST', `/api/services/${service.id}/deployments`);
  const deployed = await longshore.finished(queued.body.deployment.id, service.id);
  expect(deployed, await longshore.log(deployed.id)).toMatchObject({ status: 'running' });

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
