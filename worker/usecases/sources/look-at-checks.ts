import { settingsOf } from '../../domain/instance/settings.ts';
import { allowsPrivateFor } from '../../domain/names/webhook-url.ts';
import {
  gapMs,
  stillWaits,
  unread,
  type Verdict,
  verdictOf,
} from '../../domain/sources/commit-checks/commit-checks.ts';
import { isSameRepository } from '../../domain/sources/git-source.ts';
import {
  type ClaimedPush,
  claimAwaitedPushes,
  deleteAwaitedPush,
  deployAwaitedPush,
  dropAwaited,
  endLook,
} from '../../store/sources/awaited-push-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { repeatPass } from '../repeat-pass.ts';
import { type CheckNeeds, type ReadChecks, readChecks } from './read-checks.ts';

type Needs = Pick<Dependencies, 'db' | 'hubs' | 'newId' | 'now'> & CheckNeeds;

/** A commit at GitHub needs three requests, and two more for a token: this limits a run to 30 (see repeat-pass). */
const commitsPerPass = 3;
const passesMax = 2;
/** A run that dies is repeated after this time. */
const holdMs = 60_000;

/**
 * Looks at the checks of commits whose pushes wait for them (setting `waitForChecks`), those first that have waited longest. A push whose checks
 * are green is deployed, exactly at its commit; one with a red check is not. Services that wait for the same commit share one look.
 * @returns number of commits
 */
export async function lookAtChecks(deps: Needs): Promise<number> {
  let looked = 0;
  await repeatPass(deps, passesMax, async () => {
    const claimed = await claimAwaitedPushes(deps.db, { now: deps.now(), limit: commitsPerPass, holdMs });
    const settings = settingsOf(claimed.settings);
    const reads = new Map<string, Promise<ReadChecks>>();
    const ends = await Promise.allSettled(
      claimed.rows.map((row) =>
        look(deps, row, () => {
          const name = readName(row);
          const read =
            reads.get(name) ?? readChecks(deps, row, allowsPrivateFor(row.project.tenantId, settings));
          reads.set(name, read);
          return read;
        }),
      ),
    );
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
    looked += claimed.commits;
    return claimed.commits === commitsPerPass;
  });
  return looked;
}

/** The same for pushes whose checks are read with the same credentials. */
function readName({ push, service, project, credentials }: ClaimedPush): string {
  const own = service.sealedGitToken === null ? '' : push.serviceId;
  return JSON.stringify([
    project.tenantId,
    service.repoUrl,
    push.commitSha,
    credentials.map(({ id }) => id),
    own,
  ]);
}

async function look(deps: Needs, row: ClaimedPush, read: () => Promise<ReadChecks>): Promise<void> {
  const { push, service } = row;
  const isSame =
    service.kind === 'git' &&
    service.branch === push.branch &&
    isSameRepository(service.repoUrl, push.repoUrl);
  if (!isSame) return void (await deleteAwaitedPush(deps.db, push));
  if (!service.pushSettings?.waitForChecks) {
    if (push.state !== 'waiting') return void (await dropAwaited(deps.db, push.serviceId));
    return deploy(deps, row, 'not_awaited');
  }
  const found = await read();
  const verdict = verdictFor(found, deps.now() - push.createdAt);
  if (verdict.deploys) return deploy(deps, row, verdict.reason);
  await writeLook(deps, row, verdict, 'later' in found ? found.waitMs : null);
}

function verdictFor(found: ReadChecks, ageMs: number): Verdict {
  if ('unread' in found) return unread(found.unread, ageMs);
  if ('later' in found) return stillWaits(found.later, ageMs);
  return verdictOf(found.checks, ageMs);
}

async function writeLook(
  deps: Needs,
  { push }: ClaimedPush,
  { state, detail }: Extract<Verdict, { deploys: false }>,
  waitMs: number | null,
): Promise<void> {
  const at = deps.now();
  const nextLookAt = state === 'over' ? null : at + Math.max(gapMs(at - push.createdAt), waitMs ?? 0);
  await endLook(deps.db, { push, state, detail, at, nextLookAt, eventId: deps.newId('event') });
}

async function deploy(deps: Needs, row: ClaimedPush, reason: string): Promise<void> {
  const { push } = row;
  const deployment = {
    ...{ id: deps.newId('deployment'), jobId: deps.newId('job'), trigger: 'webhook' as const },
    ...{ sourceDeploymentId: null, startedBy: push.startedBy, createdAt: deps.now() },
  };
  const audit = { id: deps.newId('audit'), route: `deployment.checks ${reason}` };
  const runnerId = await deployAwaitedPush(deps.db, deployment, push, audit);
  if (runnerId !== undefined) return deps.hubs.wake(runnerId);
  // Changes nothing if the push was replaced or deployed meanwhile.
  const detail =
    'Not deployed: the host of the service was revoked. Enrol a host, set "runnerId" to its id, and deploy the service by hand.';
  await writeLook(deps, row, { deploys: false, state: 'over', detail }, null);
}
