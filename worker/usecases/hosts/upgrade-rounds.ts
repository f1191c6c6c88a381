/**
 * Scheduled upgrades of hosts, one at a time: the next host is asked when the previous one has the release and is healthy. The first
 * failure stops the round and raises an event. Cron calls this every minute, and each call takes the next step.
 */
import { isUpgradeTime, outcomeOf } from '../../domain/hosts/host-upgrades.ts';
import { settingsOf } from '../../domain/instance/settings.ts';
import {
  claimHost,
  endUpgradeRound,
  findNextHost,
  insertUpgradeRound,
  noteAsked,
  noteUpgraded,
  readUpgradeRound,
  stopUpgradeRound,
  type UpgradeRoundRow,
} from '../../store/hosts/upgrade-round-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { upgradeHost } from './upgrade-host.ts';

type Needs = Pick<Dependencies, 'db' | 'hubs' | 'newId' | 'now' | 'hostRelease'>;
type Newest = NonNullable<Awaited<ReturnType<typeof readUpgradeRound>>['newest']>;

export async function upgradeHosts(deps: Needs): Promise<void> {
  const { db, now, hostRelease } = deps;
  if (hostRelease === null) return;
  const { newest, settings } = await readUpgradeRound(db);
  const { hostUpgrades } = settingsOf(settings);
  const isOpen = hostUpgrades !== null && isUpgradeTime(hostUpgrades, now());
  const running = newest?.round.state === 'running' ? newest : undefined;
  if (running?.round.runnerId && !(await isHostDone(deps, running))) return;
  if (running && (!isOpen || running.round.release !== hostRelease)) {
    await endUpgradeRound(db, running.round.id, { state: 'ended', at: now() });
  } else if (isOpen && !(newest && isBlocked(newest, hostRelease))) {
    await askNextHost(deps, hostRelease, running?.round.id);
  }
}

/** A stopped round continues when its host has the release or was revoked. */
function isBlocked({ round, host }: Newest, release: string): boolean {
  if (round.state !== 'stopped' || round.release !== release) return false;
  return host?.id != null && host.revokedAt === null && host.facts?.release !== release;
}

/** @returns whether the round can continue */
async function isHostDone(deps: Needs, { round, host }: Newest): Promise<boolean> {
  const { db, newId, now } = deps;
  const { id, runnerId, askedAt, recordBefore, release, error } = round;
  if (runnerId === null || askedAt === null) return true;
  const outcome = outcomeOf(
    {
      ...{ release, askedAt, recordBefore, trouble: error },
      isRevoked: host?.id == null || host.revokedAt !== null,
      connectedAt: host?.connectedAt ?? null,
      facts: host?.facts ?? { release: null, lastUpgrade: null, dockerVersion: null },
    },
    now(),
  );
  if (outcome === 'done') {
    await noteUpgraded(db, id, runnerId);
    return true;
  }
  if (outcome === 'waiting') {
    if (error !== null && host?.facts) await ask(deps, round, { id: runnerId, facts: host.facts });
    return false;
  }
  await stopUpgradeRound(db, { id, runnerId, eventId: newId('event'), error: outcome.failed, at: now() });
  return false;
}

async function askNextHost(deps: Needs, release: string, running: string | undefined): Promise<void> {
  const { db, now } = deps;
  const host = await findNextHost(db, release);
  if (!host) {
    if (running !== undefined) await endUpgradeRound(db, running, { state: 'complete', at: now() });
    return;
  }
  // An upgrade would make the host's jobs fail, so it waits until they have ended.
  if (host.isBusy) return;
  const at = now();
  const id = running ?? new Date(at).toISOString().replaceAll(/[-:.]/g, '');
  if (running === undefined && !(await insertUpgradeRound(db, { id, release, at }))) return;
  const recordBefore = host.facts.lastUpgrade?.at ?? null;
  if (await claimHost(db, id, { id: host.id, recordBefore, at })) await ask(deps, { id }, host);
}

/** Sends the request to the host, and stores why it could not be sent: the next run retries in a minute. */
async function ask(
  deps: Needs,
  { id }: Pick<UpgradeRoundRow, 'id'>,
  host: { id: string; name?: string; facts: Parameters<typeof upgradeHost>[1]['facts'] },
): Promise<void> {
  try {
    await upgradeHost(deps, { ...host, name: host.name ?? 'The host' });
    await noteAsked(deps.db, id, null);
  } catch (error) {
    await noteAsked(deps.db, id, error instanceof Error ? error.message : String(error));
  }
}
