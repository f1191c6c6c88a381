/** A host's reports about its connection and itself. */
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
  /** For the event about a trouble that begins or ends. */
  eventId: string;
  /** The time of the host's clock. */
  sentAt: number;
}

const clockAhead = ({ sentAt, at }: Report) => sentAt - at;

const isEnrolled = (runnerId: string) => and(eq(runners.id, runnerId), isNull(runners.revokedAt));

/**
 * Condition on `runners`: the runner has started its parts. A host whose Docker does not answer still gets its jobs: they wait on the host,
 * which notices Docker's return before its next facts arrive.
 */
export const worksNow: SQL = sql`facts ->> 'trouble' is null`;

/** @returns undefined if the runner is revoked or unknown; nothing was written then */
export async function markConnected(
  db: Database,
  runnerId: string,
  report: Report & { bootId: string },
): Promise<{ drained: boolean; hosts: number } | undefined> {
  const { facts, at, bootId, eventId } = report;
  const [, , [row]] = await db.batch([
    ...raiseTroubleEvent(db, { runnerId, eventId, at, trouble: facts.trouble }),
    db
      .update(runners)
      .set({ facts, connectedAt: at, disconnectedAt: null })
      .where(isEnrolled(runnerId))
      .returning({ drained: runners.drained, hosts: sql<number>`(select max(rowid) from runners)` }),
    noteProcess(db, runnerId, { bootId, clockAheadMs: clockAhead(report) }),
  ]);
  return row;
}

/** Stores facts that have changed since the hello. A revoked host's facts do not change. */
export async function writeFacts(db: Database, runnerId: string, report: Report): Promise<void> {
  const { facts, at, eventId } = report;
  await db.batch([
    ...raiseTroubleEvent(db, { runnerId, eventId, at, trouble: facts.trouble }),
    db.update(runners).set({ facts }).where(isEnrolled(runnerId)),
    noteClock(db, runnerId, clockAhead(report)),
  ]);
}

/** Randomly chosen hosts that were connected when they last reported. */
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
