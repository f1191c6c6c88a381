import type { DeploySpec } from '../../../protocol/job-spec.ts';
import { timeoutDefaultMs } from '../../proxy/health-check.ts';
import type { ContainerTarget } from '../../proxy/traffic.ts';
import type { Candidate } from './start-candidate.ts';

/** Where the requests of a new version go; null for a worker, which gets none. */
export function containerTarget(
  { runtimeMode, internalPort: port, healthCheckPath: path, health }: DeploySpec,
  candidates: readonly Pick<Candidate, 'address'>[],
): ContainerTarget | null {
  const [address, ...others] = candidates.map((one) => one.address);
  if (runtimeMode === 'worker' || address === undefined) return null;
  if (others.length === 0) return { type: 'container', address, port };
  const seconds = health?.healthCheckTimeoutSeconds;
  const timeoutMs = seconds === undefined ? timeoutDefaultMs : Math.round(seconds * 1_000);
  return { type: 'container', address, port, others, ...(path ? { health: { path, timeoutMs } } : {}) };
}
