/** Scheduled rounds of upgrades, and the next host. */
import { and, desc, eq, isNull, type SQL, sql } from 'drizzle-orm';
import type { RunnerFacts } from '../../../protocol/runner-facts.ts';
import { raiseHostEvent } from '../alerts/event-store.ts';
import { selectSettings } from '../instance/settings-store.ts';
import { runners, upgradeRounds } from '../schema/runners.ts';
import { columnsAs } from '../sql/columns-as.ts';
import type { Database } from '../sql/database.ts';
import type { HostEvent } from './host-event-store.ts';

export type UpgradeRoundRow = typeof upgradeRounds.$inferSelect;

/** Number of rounds that are stored. */
const keptRounds = 100;

/** The newest round with its host, and the settings; one round trip. */
export async function readUpgradeRound(db: Database) {
  const [[newest], settings] = await db.batch([
    db
      .select({
        round: columnsAs(upgradeRounds, 'round'),
        host: {
          id: sql<string | null>`runners.id`.as('host_id'),
          facts: runners.facts,
          connectedAt: sql<number | null>`runners.connected_at`.as('host_connected_at'),
          revokedAt: sql<number | null>`runners.revoked_at`.as('host_revoked_at'),
        },
      })
      .from(upgradeRounds)
      .leftJoin(runners, eq(runners.id, upgradeRounds.runnerId))
      .orderBy(desc(upgradeRounds.id))
      .limit(1),
    selectSettings(db),
  ]);
  return { newest, settings };
}

/** Hosts that the control plane may upgrade and that have not reported this release. */
const isOutdated = (release: string): SQL => sql`runners.revoked_at is null
  and runners.facts ->> 'takesUpgrades' = 1 and coalesce(runners.facts ->> 'release', '') <> ${release}`;

export interface NextHost {
  id: string;
  name: string;
  facts: RunnerFacts;
  /** Whether it works on a job, which an upgrade would make fail. */
  isBusy: boolean;
}

/** The next connected host for the release: hosts without jobs first, then the oldest. */
export async function findNextHost(db: Database, release: string): Promise<NextHost | undefined> {
  const isBusy = sql<boolean>`exists (select 1 from jobs where jobs.runner_id = runners.id and jobs.state = 'active')`;
  const [host] = await db
    .select({
      id: runners.id,
      name: runners.name,
      facts: runners.facts,
      isBusy: isBusy.mapWith(Boolean).as('is_busy'),
    })
    .from(runners)
    .where(and(isOutdated(release), sql`runners.connected_at is not null`))
    .orderBy(sql`is_busy`, runners.createdAt, runners.id)
    .limit(1);
  return host;
}

/** Hosts to upgrade to this release, connected or not. */
export function countOutdatedHosts(db: Database, release: string) {
  return db.all<{ hosts: number }>(sql`select count(*) as hosts from runners where ${isOutdated(release)}`);
}

/** Starts a round. @returns false if one is running */
export async function insertUpgradeRound(
  db: Database,
  { id, release, at }: { id: string; release: string; at: number },
): Promise<boolean> {
  const kept = sql`(select id from upgrade_rounds order by id desc limit ${keptRounds})`;
  const [made] = await db.batch([
    db
      .insert(upgradeRounds)
      .values({ id, release, state: 'running', startedAt: at })
      .onConflictDoNothing()
      .returning({ id: upgradeRounds.id }),
    db.run(sql`delete from upgrade_rounds where id not in ${kept} and state <> 'running'`),
  ]);
  return made.length > 0;
}

const runs = (id: string) => and(eq(upgradeRounds.id, id), eq(upgradeRounds.state, 'running'));

/** Stores the host that gets the request now. @returns false if the round has another one or has ended */
export async function claimHost(
  db: Database,
  roundId: string,
  host: { id: string; recordBefore: number | null; at: number },
): Promise<boolean> {
  const values = { runnerId: host.id, askedAt: host.at, recordBefore: host.recordBefore, error: notAsked };
  const claimed = await db
    .update(upgradeRounds)
    .set(values)
    .where(and(runs(roundId), isNull(upgradeRounds.runnerId)))
    .returning({ id: upgradeRounds.id });
  return claimed.length > 0;
}

/** Stored before the host has answered, because the Worker may die in between. */
const notAsked = 'It was not asked.';

/** @param trouble why the request could not be sent; null if the upgrade has begun */
export async function noteAsked(db: Database, roundId: string, trouble: string | null): Promise<void> {
  await db.update(upgradeRounds).set({ error: trouble }).where(runs(roundId));
}

/** Stores that the host of the round has the release. */
export async function noteUpgraded(db: Database, roundId: string, runnerId: string): Promise<void> {
  await db
    .update(upgradeRounds)
    .set({ upgraded: sql`upgraded + 1`, runnerId: null, askedAt: null, recordBefore: null, error: null })
    .where(and(runs(roundId), eq(upgradeRounds.runnerId, runnerId)));
}

export async function endUpgradeRound(
  db: Database,
  id: string,
  { state, at }: { state: 'complete' | 'ended'; at: number },
): Promise<void> {
  await db.update(upgradeRounds).set({ state, finishedAt: at }).where(runs(id));
}

/** Stops a round at the host that failed, and raises the event. */
export async function stopUpgradeRound(
  db: Database,
  { id, runnerId, eventId, error, at }: HostEvent & { id: string; error: string },
): Promise<void> {
  const stops = sql`runners.id = ${runnerId} and exists (select 1 from upgrade_rounds
    where id = ${id} and state = 'running')`;
  await db.batch([
    ...raiseHostEvent(
      db,
      {
        ...{ id: eventId, type: 'host.upgrade_failed', resourceId: runnerId, trigger: null, error, at },
        audit: { status: 500 },
      },
      stops,
    ),
    db.update(upgradeRounds).set({ state: 'stopped', error, finishedAt: at }).where(runs(id)),
  ]);
}

/** Rounds, newest first. */
export function selectUpgradeRounds(db: Database, limit: number) {
  return db.select().from(upgradeRounds).orderBy(desc(upgradeRounds.id)).limit(limit);
}
