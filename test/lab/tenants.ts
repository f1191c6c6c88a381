/** Two tenants on one shared machine: what a container of one reaches of the other and of the host. `test/e2e/tenants.test.ts` asks the same of two hosts. */

import { internalPort, prober } from '../support/prober-app.ts';
import { api, type Json, upload } from './faults/api.ts';
import { inMachine, until } from './machine.ts';
import { addressOf, type MachinePlaces } from './places.ts';

const deployLimitMs = 240_000;

interface Tenant {
  id: string;
  key: string;
  project: Json;
  service: Json;
  /** Of its container, and of the host in its network. */
  address: string;
  gateway: string;
}

/** @param print gets a line for each thing that was tried @returns whether everything was as it must be */
export async function tryTenants(machine: MachinePlaces, print: (line: string) => void): Promise<boolean> {
  const { runners } = await api('GET', '/api/system/runners');
  const host = runners.findLast((one: Json) => one.name === machine.name && one.connected);
  if (!host) throw new Error(`${machine.name} is not connected.`);
  print(
    `Docker ${host.facts.dockerVersion}, runc ${host.facts.runcVersion}, firewall ${host.facts.isolation.firewall}`,
  );
  // A machine whose control groups have no controllers takes no limit.
  await api('PATCH', '/api/system/settings', {
    tenantLimits: { containerCpus: null, containerMemoryMb: null },
  });
  await api('PATCH', `/api/system/runners/${host.id}`, { shared: true });
  const alice = await newTenant(machine, host.id, 'alice');
  const bob = await newTenant(machine, host.id, 'bob');
  let isRight = true;
  const expected = async (what: string, found: unknown, isWanted: boolean) => {
    isRight &&= isWanted;
    print(`${isWanted ? 'as required' : 'WRONG'}: ${what}: ${String(found)}`);
  };
  const tries = async (what: string, from: Tenant, to: string, port: number, wanted: 'open' | 'closed') => {
    const outcome = await tried(machine, from, to, port);
    await expected(`${what} (${to}:${port})`, outcome, (outcome === 'open') === (wanted === 'open'));
  };
  const seen = await api('GET', '/api/projects', undefined, alice.key);
  await expected(
    'alice sees her projects only',
    seen.projects.length,
    seen.projects.every((one: Json) => one.id === alice.project.id),
  );
  const foreign = await api('GET', `/api/services/${bob.service.id}/overview`, undefined, alice.key).catch(
    String,
  );
  await expected(
    "bob's service is unknown to alice",
    String(foreign).slice(0, 60),
    /: 404 /.test(String(foreign)),
  );
  await tries("bob reaches bob's container", bob, bob.address, internalPort, 'open');
  await tries("alice reaches bob's container by address", alice, bob.address, internalPort, 'closed');
  await tries("bob reaches alice's container by address", bob, alice.address, internalPort, 'closed');
  await tries(
    "alice reaches bob's container by name",
    alice,
    `longshore-${bob.service.id}-stable`,
    internalPort,
    'closed',
  );
  const ports = [alice.service.hostPort, bob.service.hostPort, ...(await loopbackPorts(machine))];
  for (const address of new Set([addressOf(machine), alice.gateway, bob.gateway]))
    for (const port of new Set(ports))
      await tries('alice reaches a loopback port of the host', alice, address, port, 'closed');
  await tries('alice reaches the public port of the host', alice, alice.gateway, 80, 'open');
  await tries('alice reaches the metadata of a cloud', alice, '169.254.169.254', 80, 'closed');
  for (const { project, key } of [alice, bob])
    await api('DELETE', `/api/projects/${project.id}`, undefined, key);
  return isRight;
}

async function newTenant(machine: MachinePlaces, runnerId: string, name: string): Promise<Tenant> {
  const { tenant } = await api('POST', '/api/system/tenants', {
    name: `${name}-${Date.now() % 100_000}`,
  });
  const wanted = { name, access: 'write', projects: 'all', tenantId: tenant.id };
  const { token: key } = await api('POST', '/api/system/keys', wanted);
  const { project } = await api('POST', '/api/projects', { name: 'Shop', description: '' }, key);
  const fields = { name: 'app', repoUrl: 'upload', runnerId, internalPort, env: [] };
  const { service } = await api('POST', `/api/projects/${project.id}/services`, fields, key);
  const uploadId = await upload(service.id, prober, key);
  const deployments = `/api/services/${service.id}/deployments`;
  const { deployment } = await api('POST', deployments, { uploadId }, key);
  await until(
    `the deployment of ${name}`,
    async () => {
      const found = (await api('GET', deployments, undefined, key)).deployments[0];
      if (['failed', 'aborted'].includes(found.status))
        throw new Error(`${deployment.id}: ${found.failureMessage}`);
      return found.status === 'running';
    },
    deployLimitMs,
  );
  const format = '{{range .NetworkSettings.Networks}}{{.IPAddress}} {{.Gateway}}{{end}}';
  const inspect = ['docker', 'inspect', '--format', format, `longshore-${service.id}-stable`];
  const [address = '', gateway = ''] = (await inMachine(machine, inspect)).trim().split(' ');
  return { id: tenant.id, key, project, service, address, gateway };
}

/** What a connection from inside the tenant's container comes to. */
async function tried(
  machine: MachinePlaces,
  { service }: Tenant,
  host: string,
  port: number,
): Promise<string> {
  const url = `http://127.0.0.1:${service.hostPort}/${host}/${port}`;
  return (await inMachine(machine, ['curl', '-sS', '--max-time', '10', url])).trim();
}

/** On which programs of the host listen at 127.0.0.1, without the ports of services. */
async function loopbackPorts(machine: MachinePlaces): Promise<number[]> {
  const listening = await inMachine(machine, ['ss', '-Hltn', 'src', '127.0.0.1']);
  const ports = listening
    .split('\n')
    .flatMap((line) => Number(/127\.0\.0\.1:(\d+)/.exec(line)?.[1] ?? 0) || []);
  return ports.filter((port) => port < 41_000 || port > 44_999).slice(0, 20);
}
