import type { HostTask, ProxyResult } from '../../../protocol/host-task.ts';
import type { Traffic } from '../../proxy/traffic.ts';

export interface SetHostnamesParts {
  traffic: Traffic;
  /** Checks the DNS of the service's custom domains now, and reports the result. */
  checkDomainsSoon: (serviceId: string) => void;
}

/**
 * Routes the names to the service, and probes the changed ones through the proxy. A task that arrives late changes nothing; its
 * answer describes the current state.
 * @throws ProxyError when the task should be retried: another service still has one of the names, or edge does not answer.
 */
export async function setHostnames(
  { traffic, checkDomainsSoon }: SetHostnamesParts,
  task: Extract<HostTask, { kind: 'set-hostnames' }>,
): Promise<ProxyResult> {
  const { serviceId, tenantId, revision, names, publicIp, rules } = task;
  const owner = tenantId === undefined ? {} : { tenantId };
  await traffic.setNames(serviceId, { ...owner, revision, names, publicIp, rules });
  checkDomainsSoon(serviceId);
  if (task.changed.length === 0) return { ok: true, detail: 'The proxy has the names of the service.' };
  const known = traffic.names().find((one) => one.serviceId === serviceId)?.names ?? [];
  const isDeployed = traffic.current(serviceId) !== undefined;
  const results = await Promise.all(
    task.changed.map((hostname) =>
      isDeployed || !known.some((name) => name.hostname === hostname)
        ? traffic.probe(hostname)
        : { ok: true, detail: `${hostname} has no app behind it until the service is deployed.` },
    ),
  );
  return allOf(results);
}

/** Combines the results of several probes into one. */
export function allOf(results: readonly ProxyResult[]): ProxyResult {
  return { ok: results.every(({ ok }) => ok), detail: results.map(({ detail }) => detail).join(' ') };
}
