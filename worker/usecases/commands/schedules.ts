/** Schedules of commands: create, change, delete, start now. */

import type { z } from 'zod';
import {
  type newScheduleSchema,
  nextOccurrence,
  type schedulePatchSchema,
  schedulesPerService,
} from '../../domain/commands/schedules.ts';
import { ApiError, absent } from '../../domain/errors.ts';
import type { RunRow } from '../../store/commands/run-store.ts';
import {
  insertOccurrence,
  insertSchedule,
  type ScheduleRow,
  updateSchedule,
} from '../../store/commands/schedule-store.ts';
import type { ServiceRow } from '../../store/services/service-store.ts';
import { violates } from '../../store/sql/store-failure.ts';
import type { Dependencies } from '../dependencies.ts';
import { assertRunsCommands, startRun } from './start-run.ts';

type NewSchedule = z.output<typeof newScheduleSchema>;
type SchedulePatch = z.output<typeof schedulePatchSchema>;
type Needs = Pick<Dependencies, 'db' | 'newId' | 'now' | 'initiator'>;

/** @throws ApiError `unsupported` for databases and static sites; `conflict` if the name is in use; `quota_exceeded` */
export async function createSchedule(
  { db, newId, now }: Needs,
  service: ServiceRow,
  wanted: NewSchedule,
): Promise<ScheduleRow> {
  assertRunsCommands(service);
  const at = now();
  const nextRunAt = wanted.enabled ? nextOccurrence(wanted, at) : null;
  const row: ScheduleRow = {
    ...{ id: newId('schedule'), serviceId: service.id, ...wanted },
    ...{ nextRunAt, checkAt: nextRunAt, createdAt: at, updatedAt: at },
  };
  const [written] = await refuseTakenName(wanted.name, () => insertSchedule(db, row));
  if (written) return row;
  throw new ApiError(
    'quota_exceeded',
    `The service has ${schedulesPerService} schedules, the most that it can have: delete one, or let one command do more.`,
  );
}

/**
 * Changes a schedule. A new time, or enabling the schedule, applies from now on.
 * @throws ApiError `conflict` if the name is in use; `not_found` if the schedule has been deleted since
 */
export async function changeSchedule(
  { db, now }: Omit<Needs, 'newId'>,
  schedule: ScheduleRow,
  patch: SchedulePatch,
): Promise<ScheduleRow> {
  const at = now();
  const given = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
  const changed: ScheduleRow = { ...schedule, ...given };
  const isRetimed = (['cron', 'timeZone', 'enabled'] as const).some(
    (name) => changed[name] !== schedule[name],
  );
  const nextRunAt = changed.enabled ? nextOccurrence(changed, at) : null;
  const timing = isRetimed ? { nextRunAt, checkAt: nextRunAt } : {};
  const [written] = await refuseTakenName(changed.name, () =>
    updateSchedule(db, schedule.id, { ...given, ...timing, updatedAt: at }),
  );
  if (!written) throw absent('schedule');
  return written;
}

/**
 * Starts the command of a schedule now. Its next occurrence does not change.
 * @throws ApiError as `startRun`
 */
export async function startScheduleNow(
  deps: Needs & Pick<Dependencies, 'hubs'>,
  { service, schedule }: { service: ServiceRow; schedule: ScheduleRow },
): Promise<RunRow> {
  const { command, timeLimitSeconds, container } = schedule;
  const started = await startRun(deps, service, { command, timeLimitSeconds, container }, (run) =>
    insertOccurrence(deps.db, schedule.id, run),
  );
  return { ...started, scheduleId: schedule.id };
}

async function refuseTakenName<Result>(name: string, write: () => PromiseLike<Result>): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    if (!violates(error, 'UNIQUE')) throw error;
    throw new ApiError(
      'conflict',
      `The service has a schedule "${name}": choose another name, or change that one.`,
    );
  }
}
