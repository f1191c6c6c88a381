/** Docker hosts: who they are and whether they are connected. */
import { and, asc, eq, isNotNull, isNull, sql } from 'drizzle-orm';
import type { RunnerFacts } from '../../protocol/runner-facts.ts';
import type { Database } from './database.ts';
import { runners } from './schema/runners.ts';

export type RunnerRow = typeof runners.$inferSelect;

/** Whether a host is connected; for statements that read `runners`. */
export const isConnected = sql<boolean>`connected_at is not null`.mapWith(Boolean);

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

export interface RunnerChange {
  name?: string | undefined;
  drained?: boolean | undefined;
  /** Null: it serves all tenants. */
  tenantId?: string | null | undefined;
}

/** @returns undefined when the host is revoked, or is to serve one tenant while it has services of others: nothing was written. */
export async function updateRunner(
  db: Database,
  runnerId: string,
  change: RunnerChange,
): Promise<RunnerRow | undefined> {
  const { tenantId } = change;
  const ofOthers = sql`exists (select 1 from services join projects on projects.id = services.project_id
    where (services.runner_id = ${runnerId} or services.next_runner_id = ${runnerId}) and projects.tenant_id <> ${tenantId})`;
  const [row] = await db
    .update(runners)
    .set(change)
    .where(
      and(
        eq(runners.id, runnerId),
        isNull(runners.revokedAt),
        typeof tenantId === 'string' ? sql`not ${ofOthers}` : undefined,
      ),
    )
    .returning();
  return row;
}

/**
 * Revokes a host that no service is on or about to move to, and forgets the work that waits for it. A repeat keeps the first moment.
 * @returns the names of the services that are in the way, as `<project>/<service>`, at most `shown`; of none: it is revoked.
 */
export async function revokeRunner(
  db: Database,
  runnerId: string,
  { at, shown }: { at: number; shown: number },
): Promise<{ count: number; names: string[] }> {
  const here = sql`services.runner_id = ${runnerId} or services.next_runner_id = ${runnerId}`;
  const [[counted], names] = await db.batch([
    db.all<{ count: number }>(sql`select count(*) as count from services where ${here}`),
    db.all<{ name: string }>(sql`select projects.slug || '/' || services.slug as name
      from services join projects on projects.id = services.project_id where ${here} order by name limit ${shown}`),
    db
      .update(runners)
      .set({ revokedAt: sql`coalesce(${runners.revokedAt}, ${at})` })
      .where(and(eq(runners.id, runnerId), sql`not exists (select 1 from services where ${here})`)),
    db.run(sql`delete from host_tasks where runner_id = ${runnerId} and state = 'pending'
      and exists (select 1 from runners where id = ${runnerId} and revoked_at is not null)`),
  ]);
  return { count: counted?.count ?? 0, names: names.map(({ name }) => name) };
}
