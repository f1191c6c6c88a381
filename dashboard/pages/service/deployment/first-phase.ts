import type { Deployment, Service } from '../../../api/queries.ts';
import { hasBuilds } from '../../../ui/service-kind.ts';
import type { PhaseName } from './phases.ts';

/** The phase with which a deployment begins: a restart, a rollback and a restore build nothing, and an image has no source. */
export function firstPhase(
  { trigger }: Pick<Deployment, 'trigger'>,
  service: Service | undefined,
): PhaseName {
  if (['rollback', 'restart', 'restore'].includes(trigger)) return 'start';
  return service && !hasBuilds(service) ? 'build' : 'clone';
}
