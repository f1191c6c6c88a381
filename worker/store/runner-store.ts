/** Docker hosts: who they are and whether they are connected. */
import { and, asc, eq, isNotNull, isNull, sql } from 'drizzle-orm';
import type { RunnerFacts } from '../../protocol/runner-facts.ts';
import type { Database } from './database.ts';
import { runners } from './schema/runners.ts';

export type RunnerRow = typeof runners.$inferSelect;

export async function findRunner(db: Database, runnerId: string): Promise<RunnerRow | undefined> {
  const [row] = await db.select().from(runners).where(eq(runners.id, runnerId));
  return row;
}

/** All that are not revoked, oldest first. */
export function listRunners(db: Database): Promise<RunnerRow[]> {
  return db
    .select()
    .from(runners)
    .where(isNull(runners.revokedAt))
    .orderBy(asc(runners.createdAt), asc(runners.id));
}

/** @returns undefined when the runner is revoked or unknown: nothing was written. */
export async function markConnected(
  db: Database,
  runnerId: string,
  connection: { facts: RunnerFacts; at: number },
): Promise<{ drained: boolean } | undefined> {
  const [row] = await db
    .update(runners)
    .set({ facts: connection.facts, connectedAt: connection.at, disconnectedAt: null })
    .where(and(eq(runners.id, runnerId), isNull(runners.revokedAt)))
    .returning({ drained: runners.drained });
  return row;
}

/** Writes nothing when the runner is known to be away already: the first moment of an absence counts. */
export async function markDisconnected(db: Database, runnerId: string, at: number): Promise<void> {
  await db
    .update(runners)
    .set({ connectedAt: null, disconnectedAt: at })
    .where(and(eq(runners.id, runnerId), isNotNull(runners.connectedAt)));
}

export async function updateRunner(
  db: Database,
  runnerId: string,
  change: { name?: string; drained?: boolean },
): Promise<RunnerRow | undefined> {
  const [row] = await db
    .update(runners)
    .set(change)
    .where(and(eq(runners.id, runnerId), isNull(runners.revokedAt)))
    .returning();
  return row;
}

/** @returns false while services live on the runner: nothing was written. A repeat keeps the first moment. */
export async function revokeRunner(db: Database, runnerId: string, at: number): Promise<boolean> {
  const revoked = await db
    .update(runners)
    .set({ revokedAt: sql`coalesce(${runners.revokedAt}, ${at})` })
    .where(
      and(
        eq(runners.id, runnerId),
        sql`not exists (select 1 from services where services.runner_id = ${runnerId})`,
      ),
    )
    .returning({ id: runners.id });
  return revoked.length > 0;
}

export async function countServicesOf(db: Database, runnerId: string): Promise<number> {
  const [row] = await db.all<{ count: number }>(
    sql`select count(*) as count from services where runner_id = ${runnerId}`,
  );
  return row?.count ?? 0;
}
