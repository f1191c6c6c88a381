/** A client for custom domains, and a host with given answers. */
import type { DomainState } from '../../../protocol/domain-state.ts';
import { protocolVersion } from '../../../protocol/frames.ts';
import type { HostTaskOf } from '../../../protocol/host-task.ts';
import type { ServiceNames } from '../../../protocol/service-names.ts';
import { createClient, insertKey, type Json } from './api.ts';
import { FakeRunner } from './fake-runner.ts';
import { newHost, type TestHost } from './host.ts';

let count = 0;
/** Host names are unique in the instance, so they must be unique in a test file. */
export const newName = (zone = 'example.com') => `name-${++count}.${zone}`;

export async function domainClient() {
  const call = createClient();
  const { token } = await insertKey();
  const path = (serviceId: string) => `/api/services/${serviceId}/domains`;
  const overview = async (serviceId: string): Promise<Json> =>
    (await call('GET', `/api/services/${serviceId}/overview`, { token })).body;
  return {
    call,
    token,
    overview,
    /** The first of the service's domains. */
    domainOf: async (serviceId: string) => (await overview(serviceId)).domains[0],
    add: (serviceId: string, hostname: unknown) =>
      call('POST', path(serviceId), { token, body: { hostname } }),
    rename: (serviceId: string, domainId: string, hostname: string) =>
      call('PATCH', `${path(serviceId)}/${domainId}`, { token, body: { hostname } }),
    remove: (serviceId: string, domainId: string) =>
      call('DELETE', `${path(serviceId)}/${domainId}`, { token }),
  };
}

/** A connected host with a service. */
export async function connectedHost(): Promise<{ host: TestHost; runner: FakeRunner; service: Json }> {
  const host = await newHost();
  const runner = await FakeRunner.connect(host.keys);
  return { host, runner, service: await host.addService() };
}

/** Answers the next task about names. */
export async function answerNames(
  runner: FakeRunner,
  proxy = { ok: true, detail: 'answered' },
): Promise<HostTaskOf<'set-hostnames'>> {
  const { id, task } = await runner.next('task');
  runner.send({ v: protocolVersion, type: 'task-done', id, proxy });
  if (task.kind !== 'set-hostnames') throw new Error(`a ${task.kind} came instead of names`);
  return task;
}

export const noCertificate = { state: 'none' as const, expiresAt: null, detail: '' };

/** Reports what the host sees; by default, the name points to the host. */
export function see(runner: FakeRunner, state: Partial<DomainState> & { hostname: string }): void {
  runner.send({
    v: protocolVersion,
    type: 'domains',
    domains: [{ dns: 'here', detail: 'It points here.', certificate: noCertificate, ...state }],
  });
}

/** Names of a service in the form for its host. @param custom name, and whether it is active */
export const namesOf = (
  service: { generatedHostname: string | null },
  ...custom: [string, boolean][]
): ServiceNames['names'] => [
  { hostname: service.generatedHostname ?? '', isCustom: false, isActive: true },
  ...custom.map(([hostname, isActive]) => ({ hostname, isCustom: true, isActive })),
];
