/** Handlers of later work on the host: removals that wait for connections or time, and survive a restart of the runner. */
import type { Clock } from '../base/clock.ts';
import { type RetireParts, retire, retireChore, retirementSchema } from '../jobs/parts/retire.ts';
import type { ChoreHandlers } from '../scheduling/chores.ts';

export const oldDataChore = 'remove-old-data';

export const choreHandlers = (host: RetireParts, clock: Clock): ChoreHandlers => ({
  [retireChore]: (payload, signal) => retire(host, retirementSchema.parse(payload), signal),
  [oldDataChore]: async (payload, signal) => {
    const { removeOldData, oldDataSchema } = await import('../jobs/data/remove-old-data.ts');
    await removeOldData({ docker: host.docker, clock }, oldDataSchema.parse(payload), signal);
  },
});
