import { type ProxyResult, proxyResultSchema } from '../../../protocol/host-task.ts';
import { ApiError } from '../../domain/errors.ts';
import { isRouted } from '../../domain/service-kind.ts';
import type { ServiceView } from '../../store/service-view-store.ts';
import type { Dependencies } from '../dependencies.ts';

/** The host's own probe gives up after 8 s. */
const probeTimeoutMs = 10_000;

/** What a visitor of a service gets now: a real request through its host's proxy, or the reason why there is none. */
export async function probeService(
  { hubs }: Pick<Dependencies, 'hubs'>,
  { service, preferredDomain }: Pick<ServiceView, 'service' | 'preferredDomain'>,
): Promise<ProxyResult> {
  const hostname = preferredDomain ?? service.generatedHostname;
  if (!isRouted(service) || hostname === null) {
    return { ok: true, detail: 'The service has no route, so there is nothing to change in the proxy.' };
  }
  if (service.lastDeployedAt === null) {
    return {
      ok: true,
      detail: 'Nothing of the service runs yet: its routes begin with its first deployment.',
    };
  }
  try {
    const answer = await hubs.request(service.runnerId, { op: 'probe-route', hostname }, probeTimeoutMs);
    if (!answer.ok) return { ok: false, detail: answer.message };
    const result = proxyResultSchema.safeParse(answer.value);
    return (
      result.data ?? { ok: false, detail: 'The host answered the probe in a way that is not understood.' }
    );
  } catch (error) {
    if (error instanceof ApiError) return { ok: false, detail: error.message };
    throw error;
  }
}
