/** What a host reports about its connection and itself. */
import { and, eq, isNotNull, isNull, type SQL, sql } from 'drizzle-orm';
import type { RunnerFacts } from '../../../protocol/runner-facts.ts';
import { runners } from '../schema/runners.ts';
import type { Database } from '../sql/database.ts';
import { raiseTroubleEvent } from './host-event-store.ts';
import { noteClock, noteProcess } from './runner-process-store.ts';

interface Report {
  facts: RunnerFacts;
  /** Epoch milliseconds. */
  at: number;
  /** The time by the host's clock; undefined: an old runner. */
  sentAt: number | undefined;
}

const clockAhead = ({ sentAt, at }: Report) => (sentAt === undefined ? null : sentAt - at);

const isEnrolled = (runnerId: string) => and(eq(runners.id, runnerId), isNull(runners.revokedAt));

/**
 * Condition on `runners`: the runner has started its parts. A host whose Docker does not answer gets its jobs all the same: they wait on the
 * host, which notices the return of Docker sooner than its next facts come.
 */
export const worksNow: SQL = sql`facts ->> 'trouble' is null`;

/** @returns undefined if the runner is revoked or unknown; nothing was written then */
export async function markConnected(
  db: Database,
  runnerId: string,
  report: Report & { bootId: string },
): Promise<{ drained: boolean; hosts: number } | undefined> {
  const { facts, at, bootId } = report;
  const [, , [row]] = await db.batch([
    ...raiseTroubleEvent(db, { runnerId, trouble: facts.trouble, now: at }),
    db
      .update(runners)
      .set({ facts, connectedAt: at, disconnectedAt: null })
      .where(isEnrolled(runnerId))
      .returning({ drained: runners.drained, hosts: sql<number>`(select max(rowid) from runners)` }),
    noteProcess(db, runnerId, { bootId, clockAheadMs: clockAhead(report) }),
  ]);
  return row;
}

/** Stores facts that have changed since the hello. A revoked host keeps its old ones. */
export async function writeFacts(db: Database, runnerId: string, report: Report): Promise<void> {
  const { facts, at } = report;
  const clockAheadMs = clockAhead(report);
  await db.batch([
    ...raiseTroubleEvent(db, { runnerId, trouble: facts.trouble, now: at }),
    db.update(runners).set({ facts }).where(isEnrolled(runnerId)),
    ...(clockAheadMs === null ? [] : [noteClock(db, runnerId, clockAheadMs)]),
  ]);
}

/** Hosts that were connected when they were last heard of, chosen by chance. */
export const selectSomeConnected = (db: Database, limit: number) =>
  db
    .select({ id: runners.id })
    .from(runners)
    .where(and(isNotNull(runners.connectedAt), isNull(runners.revokedAt)))
    .orderBy(sql`random()`)
    .limit(limit);

/** Keeps the first time of a disconnection: nothing is written if the runner is already marked. */
export async function markDisconnected(db: Database, runnerId: string, at: number): Promise<void> {
  await db
    .update(runners)
    .set({ connectedAt: null, disconnectedAt: at })
    .where(and(eq(runners.id, runnerId), isNotNull(runners.connectedAt)));
}
