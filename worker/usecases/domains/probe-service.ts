import { type ProxyResult, proxyResultSchema } from '../../../protocol/host-task.ts';
import { ApiError } from '../../domain/errors.ts';
import { isRouted } from '../../domain/services/service-kind.ts';
import type { ServiceView } from '../../store/services/service-view-store.ts';
import type { Dependencies } from '../dependencies.ts';

/** The host's own probe times out after 8 s. */
const probeTimeoutMs = 10_000;

/** The present result for a visitor: of a real request through the service's host's proxy, or the reason why there is none. */
export async function probeService(
  { hubs }: Pick<Dependencies, 'hubs'>,
  { service, preferredDomain }: Pick<ServiceView, 'service' | 'preferredDomain'>,
): Promise<ProxyResult> {
  const hostname = preferredDomain ?? service.generatedHostname;
  if (!isRouted(service) || hostname === null) {
    return { ok: true, detail: 'The service has no route, so nothing changes in the proxy.' };
  }
  if (service.lastDeployedAt === null) {
    return {
      ok: true,
      detail: 'The service is not running yet: its routes start with its first deployment.',
    };
  }
  try {
    const answer = await hubs.request(service.runnerId, { op: 'probe-route', hostname }, probeTimeoutMs);
    if (!answer.ok) return { ok: false, detail: answer.message };
    const result = proxyResultSchema.safeParse(answer.value);
    return result.data ?? { ok: false, detail: 'The answer of the host to the probe was not understood.' };
  } catch (error) {
    if (error instanceof ApiError) return { ok: false, detail: error.message };
    throw error;
  }
}
