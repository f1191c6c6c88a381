/** Cron's work on schedules. */
import { dueOccurrence, nextOccurrence } from '../../domain/commands/schedules.ts';
import {
  postponeCheck,
  type ScheduleRow,
  selectDueSchedules,
  startOccurrence,
} from '../../store/commands/schedule-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { repeatPass } from '../repeat-pass.ts';

type Needs = Pick<Dependencies, 'db' | 'hubs' | 'newId' | 'now'>;

/** Including wake-ups, a run makes at most 160 calls to D1 and 128 to hosts. */
const schedulesPerPass = 8;
const passesMax = 16;

/**
 * Starts the commands that are due. It depends only on rows: after an outage, the newest occurrence of each schedule is started, and
 * earlier ones are counted as missed.
 * @returns number of due schedules
 */
export async function startDueCommands(deps: Needs): Promise<number> {
  let count = 0;
  await repeatPass(deps, passesMax, async () => {
    const due = await selectDueSchedules(deps.db, deps.now(), schedulesPerPass);
    count += due.length;
    const hosts = await Promise.all(due.map((schedule) => startOne(deps, schedule)));
    await Promise.all([...new Set(hosts.flatMap((host) => host ?? []))].map((host) => deps.hubs.wake(host)));
    return due.length === schedulesPerPass;
  });
  return count;
}

/** @returns the host on which its command starts. A failed one is retried a minute later, so that it does not delay the others */
async function startOne(deps: Needs, schedule: ScheduleRow): Promise<string | undefined> {
  const at = deps.now();
  try {
    const due = dueOccurrence(schedule, schedule.nextRunAt ?? at, at);
    const next = nextOccurrence(schedule, Math.max(at, due.dueAt));
    const ids = { runId: deps.newId('run'), jobId: deps.newId('job'), at };
    return await startOccurrence(deps.db, schedule, { ...due, next }, ids);
  } catch (error) {
    console.error(`The schedule ${schedule.id} could not be started:`, error);
    await postponeCheck(deps.db, schedule, at).catch(() => undefined);
    return undefined;
  }
}
