/** The processes of a host's runner, and its clock. */
import { eq, sql } from 'drizzle-orm';
import { runnerProcesses } from '../schema/runners.ts';
import type { Database } from '../sql/database.ts';

/** A process that reconnects late must still be known; a host has one process, and two for short moments. */
const bootIdsMax = 8;

export interface Heard {
  bootId: string;
  clockAheadMs: number | null;
}

/** Stores a process and the clock of an enrolled host. */
export const noteProcess = (db: Database, runnerId: string, { bootId, clockAheadMs }: Heard) =>
  db.run(sql`
    insert into runner_processes (runner_id, boot_ids, clock_ahead_ms)
    select id, json_array(${bootId}), ${clockAheadMs} from runners where id = ${runnerId} and revoked_at is null
    on conflict (runner_id) do update set clock_ahead_ms = excluded.clock_ahead_ms, boot_ids =
      case when exists (select 1 from json_each(boot_ids) where value = ${bootId}) then boot_ids
      else (select json_group_array(value) from (select ${bootId} as value union all select value from (
        select value from json_each(boot_ids) order by key limit ${bootIdsMax - 1}))) end`);

/** Stores a later report of a host about its clock. */
export const noteClock = (db: Database, runnerId: string, clockAheadMs: number) =>
  db.update(runnerProcesses).set({ clockAheadMs }).where(eq(runnerProcesses.runnerId, runnerId));

/** The ids of a host's latest processes, newest first. */
export async function findBootIds(db: Database, runnerId: string): Promise<string[]> {
  const [row] = await db
    .select({ bootIds: runnerProcesses.bootIds })
    .from(runnerProcesses)
    .where(eq(runnerProcesses.runnerId, runnerId));
  return row?.bootIds ?? [];
}

/** Clocks that differ from the control plane's by more than some seconds. */
export const selectWrongClocks = (db: Database, wrongFromMs: number) =>
  db
    .select({ runnerId: runnerProcesses.runnerId, clockAheadMs: runnerProcesses.clockAheadMs })
    .from(runnerProcesses)
    .where(sql`abs(clock_ahead_ms) >= ${wrongFromMs}`);
