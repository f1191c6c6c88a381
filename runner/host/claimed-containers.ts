import { retirementSchema } from '../jobs/parts/retire.ts';
import type { Chores } from '../scheduling/chores.ts';
import type { Claims } from './reconcile.ts';

export const retireChore = 'retire';

/** Containers that a chore will remove after their connections have ended. */
export function claimedContainers(chores: Pick<Chores, 'pending'>): Claims['containers'] {
  const retirements = chores.pending(retireChore).map((payload) => retirementSchema.safeParse(payload).data);
  return new Set(retirements.flatMap((one) => (one?.kind === 'container' ? [one.containerId] : [])));
}
