/**
 * Two tenants on one machine, each with a host of its own: what a container of one can reach of the other, of the hosts and of the
 * platform. Both hosts use one Docker, as two tenants of a shared host would.
 */
import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import Docker from 'dockerode';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { blockLayout } from '../../runner/host/port-blocks.ts';
import { buildImage, removeImages } from '../support/instance/image.ts';
import type { Json } from '../support/instance/longshore.ts';
import { type SecondRunner, startSecondRunner } from '../support/instance/second-runner.ts';
import { useInstance } from '../support/instance/use-instance.ts';
import { loopbackPorts } from '../support/listening-ports.ts';
import { internalPort, prober } from '../support/prober-app.ts';

const docker = new Docker();
const image = 'longshore-e2e-prober:1';
/** A database as the platform will publish it, in the other tenant's network. */
const database = 'longshore-e2e-tenants-database';

interface Tenant {
  id: string;
  call(method: string, path: string, body?: unknown): Promise<{ status: number; body: Json }>;
  project: Json;
  service: Json;
  /** Address of the service's container. */
  address: string;
  /** The host's address on the project's network. */
  gateway: string;
}

afterAll(() => removeImages(image));
const longshore = useInstance();
let second: SecondRunner;
let alice: Tenant;
let bob: Tenant;

beforeAll(async () => {
  await buildImage(image, prober);
  [alice, bob] = await Promise.all([
    newTenant('alice', ({ id }) =>
      longshore.operate('PATCH', `/api/system/runners/${longshore.runnerId}`, { tenantId: id }),
    ),
    newTenant('bob', async ({ id }) => {
      second = await startSecondRunner(longshore, { tenantId: id });
    }),
  ]);
});

afterAll(async () => {
  await docker
    .getContainer(database)
    .remove({ force: true })
    .catch(() => undefined);
  await second?.remove();
});

/** @param getHost gives it a host */
async function newTenant(name: string, getHost: (tenant: Json) => Promise<unknown>): Promise<Tenant> {
  const { tenant } = await longshore.operate('POST', '/api/system/tenants', {
    name,
    quotas: { services: 2 },
  });
  const key = { name, access: 'write', projects: 'all', tenantId: tenant.id };
  const { token } = await longshore.operate('POST', '/api/system/keys', key);
  await getHost(tenant);
  const call: Tenant['call'] = (method, path, body) => longshore.call(method, path, body, token);
  const { project } = (await call('POST', '/api/projects', { name: 'Shop', description: '' })).body;
  const service = await deploy(call, project, 'app');
  const container = await docker.getContainer(`longshore-${service.id}-stable`).inspect();
  const network = Object.values(container.NetworkSettings.Networks)[0];
  return {
    id: tenant.id,
    call,
    project,
    service,
    address: network?.IPAddress ?? '',
    gateway: network?.Gateway ?? '',
  };
}

async function deploy(call: Tenant['call'], project: Json, name: string): Promise<Json> {
  const body = { name, repoUrl: 'container-image', imageRef: image, internalPort };
  const { service } = (await call('POST', `/api/projects/${project.id}/services`, body)).body;
  await call('POST', `/api/services/${service.id}/deployments`);
  for (;;) {
    const { deployments } = (await call('GET', `/api/services/${service.id}/deployments?limit=1`)).body;
    if (deployments[0].status === 'running') return service;
    const { id, status } = deployments[0];
    if (status !== 'queued' && status !== 'building') {
      const { logs } = (await call('GET', `/api/deployments/${id}/logs`)).body;
      throw new Error(`the deployment is ${status}: ${JSON.stringify(logs.slice(-5))}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const hostOf = async (runnerId: string): Promise<Json> =>
  (await longshore.operate('GET', '/api/system/runners')).runners.find((one: Json) => one.id === runnerId);

/** What a connection from inside the tenant's container comes to. */
const tried = async ({ service }: Tenant, host: string, port: number) =>
  (await fetch(`${service.localUrl}/${host}/${port}`)).text();

/** Of many targets those that take a connection from inside the tenant's container. */
async function open(tenant: Tenant, targets: readonly (readonly [string, number])[]): Promise<string[]> {
  const outcomes = await Promise.all(
    targets.map(async ([host, port]) => [`${host}:${port}`, await tried(tenant, host, port)] as const),
  );
  return outcomes.flatMap(([target, outcome]) => (outcome === 'open' ? [target] : []));
}

/**
 * The host's own addresses as its containers may know them, beside loopback: of its interface to the internet, and of the networks that
 * these tests use. Not those of all interfaces: when a network of another test is gone, packets for its address leave the host, and
 * outside anybody may answer them.
 */
async function hostAddresses(): Promise<Set<string>> {
  const { IPAM } = await docker.getNetwork('bridge').inspect();
  const ofDocker = (IPAM?.Config ?? []).flatMap(({ Gateway }: Json) => Gateway ?? []);
  const ofInterface = (networkInterfaces()[defaultInterface()] ?? []).flatMap(({ address, family }) =>
    family === 'IPv4' ? [address] : [],
  );
  return new Set([...ofInterface, ...ofDocker, alice.gateway, bob.gateway]);
}

/** Lines of /proc/net/route: interface, destination, more fields. */
function defaultInterface(): string {
  const lines = readFileSync('/proc/net/route', 'utf8').split('\n');
  return /^\S+(?=\t0{8}\t)/.exec(lines.find((line) => /^\S+\t0{8}\t/.test(line)) ?? '')?.[0] ?? '';
}

test('two tenants have a project with the same slug, and each sees only its own', async () => {
  expect([alice.project.slug, bob.project.slug]).toEqual(['shop', 'shop']);
  expect(bob.project.id).not.toBe(alice.project.id);
  const { projects } = (await alice.call('GET', '/api/projects')).body;
  expect(projects.map(({ id }: Json) => id)).toEqual([alice.project.id]);
  expect((await alice.call('GET', `/api/services/${bob.service.id}/overview`)).status).toBe(404);
});

test("each tenant's service is on its own host, and a tenant without one is refused", async () => {
  expect([alice.service.runnerId, bob.service.runnerId]).toEqual([longshore.runnerId, second.runnerId]);
  const { project } = (await longshore.call('POST', '/api/projects', { name: 'None', description: '' })).body;
  const body = { name: 'none', repoUrl: 'container-image', imageRef: image };
  const refused = await longshore.call('POST', `/api/projects/${project.id}/services`, body);
  expect([refused.status, refused.body.code]).toEqual([409, 'no_runner']);
});

test('this host is shared if it reports what keeps tenants apart; otherwise the refusal names what it lacks', async () => {
  const { facts, shared } = await hostOf(longshore.runnerId);
  expect(shared).toBe(false);
  expect(facts.runcVersion).toMatch(/^\d+\.\d+\.\d+/);
  const lacks = [
    ...(facts.buildFixes ? [] : [`Docker ${facts.dockerVersion}`]),
    ...(facts.runcFixes || facts.isolation.userNamespaces ? [] : [`runc ${facts.runcVersion}`]),
    ...(facts.isolation.firewall === 'in-place' ? [] : ['isolation.firewall']),
  ];
  const path = `/api/system/runners/${longshore.runnerId}`;
  const change = (body: object) => longshore.call('PATCH', path, body, longshore.operatorToken);
  const reply = await change({ shared: true });
  expect([reply.status, reply.body.code]).toEqual(
    lacks.length === 0 ? [200, undefined] : [409, 'not_isolated'],
  );
  for (const fact of lacks) expect(reply.body.error).toContain(fact);
  expect((await change({ shared: false })).body.runner.shared).toBe(false);
});

test('a used-up quota refuses with its numbers', async () => {
  const peer = await deploy(alice.call, alice.project, 'peer');
  expect(await tried(alice, 'peer', internalPort), 'its own project is reached').toBe('open');
  const third = await alice.call('POST', `/api/projects/${alice.project.id}/services`, {
    name: 'third',
    repoUrl: 'container-image',
    imageRef: image,
  });
  expect([third.status, third.body.code, third.body.error]).toEqual([
    409,
    'quota_exceeded',
    expect.stringContaining('allows 2 services: 2 services in use, and 1 service more requested'),
  ]);
  await alice.call('DELETE', `/api/services/${peer.id}`);
});

describe('from inside a container of one tenant', () => {
  test('a container does not reach the other tenant by name or by address', async () => {
    for (const name of [`longshore-${bob.service.id}-stable`, bob.service.slug, bob.project.slug]) {
      // The slug is its own as well: it must lead to itself alone.
      const outcome = await tried(alice, name, internalPort);
      expect([name, outcome]).toEqual([name, name === alice.service.slug ? 'open' : 'ENOTFOUND']);
    }
    expect(await tried(bob, bob.address, internalPort), 'that port is open').toBe('open');
    expect(await tried(alice, bob.address, internalPort)).not.toBe('open');
    expect(await tried(bob, alice.address, internalPort)).not.toBe('open');
  });

  test("a container reaches the host's loopback ports (services, API, edge) by no address of the host", async () => {
    const { port } = new URL(JSON.parse(await localFile()).url);
    const ports = [alice.service.hostPort, bob.service.hostPort, Number(port), ...proxyLoopbackPorts()];
    const targets = [...(await hostAddresses())].flatMap((address) =>
      ports.map((one) => [address, one] as const),
    );
    expect(await open(alice, targets)).toEqual([]);
    // Proof that the question is a good one: what is public is reached the same way.
    expect(await open(alice, [[alice.gateway, longshore.httpPort]])).toHaveLength(1);
  });

  test('a container reaches a database of the other tenant neither by its address nor by a host-only port', async () => {
    const { address, loopbackPort } = await publishDatabase();
    const own = () => tried(bob, address, internalPort);
    await expect.poll(own, { timeout: 10_000, message: 'its own project reaches it' }).toBe('open');
    const byHost = [...(await hostAddresses())].map((host) => [host, loopbackPort] as const);
    expect(await open(alice, [[address, internalPort], ...byHost])).toEqual([]);
  });
});

const localFile = async () => {
  const { readFile } = await import('node:fs/promises');
  return readFile(`${longshore.dataDirectory}/local.json`, 'utf8');
};

/** Blocks of ports that Caddy listens on for services, all in the same way: the services' own ports stand for them. */
const isServicePort = (port: number) =>
  blockLayout.web.some((first) => port >= first && port < first + blockLayout.size);

/** TCP ports on which proxies and edges listen, without the public ones and those of services. */
const proxyLoopbackPorts = () =>
  loopbackPorts(/^(caddy|node|MainThread|workerd)$/).filter((port) => !isServicePort(port));

/** A server in the other tenant's network whose port is published on the host's loopback address, as a database's is. */
async function publishDatabase(): Promise<{ address: string; loopbackPort: number }> {
  const network = `longshore-${bob.project.id}`;
  const port = `${internalPort}/tcp`;
  const container = await docker.createContainer({
    name: database,
    Image: image,
    ExposedPorts: { [port]: {} },
    HostConfig: {
      NetworkMode: network,
      PortBindings: { [port]: [{ HostIp: '127.0.0.1', HostPort: '' }] },
    },
  });
  await container.start();
  const { NetworkSettings } = await container.inspect();
  return {
    address: NetworkSettings.Networks[network]?.IPAddress ?? '',
    loopbackPort: Number(NetworkSettings.Ports[port]?.[0]?.HostPort),
  };
}
