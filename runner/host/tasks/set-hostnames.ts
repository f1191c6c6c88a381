import type { HostTask, ProxyResult } from '../../../protocol/host-task.ts';
import type { Traffic } from '../../proxy/traffic.ts';

export interface SetHostnamesParts {
  traffic: Traffic;
  /** Has the DNS of the service's custom domains looked at now, and what is seen told. */
  lookAtDomains: (serviceId: string) => void;
}

/**
 * Has the service's names lead to it, and asks the proxy what requests by those that changed get. A task that comes late changes
 * nothing, and is answered by what is.
 * @throws ProxyError when the task should be tried again: another service still has one of the names, or edge is silent.
 */
export async function setHostnames(
  { traffic, lookAtDomains }: SetHostnamesParts,
  task: Extract<HostTask, { kind: 'set-hostnames' }>,
): Promise<ProxyResult> {
  const { serviceId, revision, names, publicIp } = task;
  await traffic.setNames(serviceId, { revision, names, publicIp });
  lookAtDomains(serviceId);
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

/** One result for several probes, each told in a sentence. */
export function allOf(results: readonly ProxyResult[]): ProxyResult {
  return { ok: results.every(({ ok }) => ok), detail: results.map(({ detail }) => detail).join(' ') };
}
