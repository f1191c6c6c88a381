/**
 * Deploys new digests of watched images. Each call takes the next steps of an update: a backup of each volume and its drill, the
 * deployment, and after its failure the restore of these backups. All is read from rows, so a step may come late, or again after a crash.
 */
import { platform } from '../../domain/access/initiator.ts';
import {
  opensAt,
  triesMax,
  type UpdateAttempt,
  type UpdateOutcome,
  updateMessage,
} from '../../domain/image-updates/image-update.ts';
import { openUntil, updateWindowOf } from '../../domain/values/update-window.ts';
import { insertDeployment } from '../../store/deployments/deployment-store.ts';
import {
  type ClaimedStep,
  claimStep,
  deleteImageUpdate,
  findOpenStep,
  findUpdateDeployment,
  type ImageUpdateRow,
  selectDueSteps,
  writeStep,
} from '../../store/image-updates/image-update-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { proveCopies, restoreCopies } from './update-copies.ts';

export type UpdateNeeds = Pick<Dependencies, 'db' | 'hubs' | 'blobs' | 'newId' | 'now'>;

/** A step makes at most about ten calls to D1. */
const stepsPerRun = 32;
/** Before a postponed update is tried again, also if its window is still open. */
const retryMs = 3_600_000;
/** How long after the window the restores may wait for other jobs. */
const restoreLimitMs = 6 * 3_600_000;
/** Phases of a deployment in which its new version has not run yet. */
const phasesBefore: readonly (string | null)[] = [null, 'clone', 'build'];

/** @returns the number of services whose update took a step */
export async function updateImages(deps: UpdateNeeds): Promise<number> {
  const due = await selectDueSteps(deps.db, deps.now(), stepsPerRun);
  const outcomes = await Promise.allSettled(due.map((one) => takeStep(deps, one)));
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') console.error('An update could not be continued:', outcome.reason);
  }
  return due.length;
}

/** Continues the update of a service at once, if one is under way. Never throws: cron tries again within a minute. */
export async function continueUpdate(deps: UpdateNeeds, serviceId: string): Promise<void> {
  try {
    const open = await findOpenStep(deps.db, serviceId, deps.now());
    if (open) await takeStep(deps, open);
  } catch (error) {
    console.error('An update could not be continued:', error);
  }
}

async function takeStep(deps: UpdateNeeds, due: { serviceId: string; actAt: number | null }): Promise<void> {
  const claimed = await claimStep(deps.db, due, deps.now());
  if (!claimed) return;
  const changes = claimed.row.attempt
    ? await continued(deps, claimed, claimed.row.attempt)
    : await begun(deps, claimed);
  if (changes) await writeStep(deps.db, due.serviceId, { ...changes, updatedAt: deps.now() });
}

type Changes = Partial<ImageUpdateRow>;

/** Begins an update, or decides when the next one can begin. */
async function begun(deps: UpdateNeeds, claimed: ClaimedStep): Promise<Changes | undefined> {
  const { row, service, live, isBusy } = claimed;
  const now = deps.now();
  const window = windowOf(claimed);
  if (!window) {
    await deleteImageUpdate(deps.db, service.id);
    return undefined;
  }
  const { digest } = row;
  // Each later answer of the registry leads here again.
  if (
    digest === null ||
    row.trouble !== null ||
    row.imageRef !== service.imageRef ||
    service.stopped ||
    !live
  )
    return { actAt: null };
  if (digest === live.imageDigest || digest === row.handledDigest)
    return { handledDigest: digest, actAt: null };
  const from = Math.max(now, row.retryAt ?? 0);
  const until = openUntil(window, now);
  if (until === undefined || from > now) return { actAt: opensAt(window, from) };
  if (isBusy) return { actAt: now };
  const volumes = claimed.volumes.filter(({ createdAt }) => createdAt <= (service.lastDeployedAt ?? 0));
  const attempt: UpdateAttempt = {
    step: volumes.length > 0 ? 'backup' : 'deploy',
    digest,
    deploymentId: deps.newId('deployment'),
    before: { deploymentId: live.id, digest: live.imageDigest },
    until,
    copies: volumes.map(({ id }) => ({
      ...{ volumeId: id, backupId: null, drillId: null, isProven: false, restoreId: null },
    })),
    failure: null,
  };
  await writeStep(deps.db, service.id, { attempt });
  return continued(deps, claimed, attempt);
}

async function continued(deps: UpdateNeeds, claimed: ClaimedStep, attempt: UpdateAttempt): Promise<Changes> {
  const save = (next: UpdateAttempt) => writeStep(deps.db, claimed.service.id, { attempt: next });
  if (attempt.step === 'backup') {
    const refusal = refusalToDeploy(deps, claimed, attempt);
    if (refusal !== undefined) return postponed(deps, claimed, attempt, refusal);
    const proven = await proveCopies(deps, claimed.service, attempt.copies, (copies) =>
      save({ ...attempt, copies }),
    );
    if (proven === 'waiting') return { actAt: deps.now() };
    if (proven !== 'done') return postponed(deps, claimed, attempt, proven.failed);
    const next = { ...attempt, step: 'deploy' as const };
    await save(next);
    return deployed(deps, claimed, next);
  }
  return attempt.step === 'deploy'
    ? deployed(deps, claimed, attempt)
    : restored(deps, claimed, attempt, save);
}

async function deployed(deps: UpdateNeeds, claimed: ClaimedStep, attempt: UpdateAttempt): Promise<Changes> {
  const deployment = await findUpdateDeployment(deps.db, attempt.deploymentId);
  if (!deployment) return queued(deps, claimed, attempt);
  const { status, phase, failureMessage } = deployment;
  if (status === 'queued' || status === 'building') return { actAt: deps.now() };
  if (status === 'running' || status === 'superseded')
    return ended(deps, attempt, { result: 'deployed', detail: 'The new version is live.' });
  const failure =
    failureMessage ?? (status === 'aborted' ? 'Its deployment was aborted.' : 'Its deployment failed.');
  if (status === 'failed' && phasesBefore.includes(phase))
    return triedInVain(deps, claimed, attempt, failure);
  if (attempt.copies.length === 0 || phasesBefore.includes(phase))
    return ended(deps, attempt, { result: 'failed', detail: `${failure} The version before keeps running.` });
  const next = { ...attempt, step: 'restore' as const, failure };
  await writeStep(deps.db, claimed.service.id, { attempt: next });
  return continued(deps, claimed, next);
}

async function queued(deps: UpdateNeeds, claimed: ClaimedStep, attempt: UpdateAttempt): Promise<Changes> {
  const { row, service, isBusy } = claimed;
  const refusal = refusalToDeploy(deps, claimed, attempt);
  if (refusal !== undefined) return postponed(deps, claimed, attempt, refusal);
  if (isBusy) return { actAt: deps.now() };
  const imageDigest = attempt.digest;
  const runnerId = await insertDeployment(deps.db, {
    id: attempt.deploymentId,
    jobId: deps.newId('job'),
    serviceId: service.id,
    trigger: 'image-update',
    sourceDeploymentId: null,
    startedBy: platform,
    named: { imageDigest, commitMessage: updateMessage(row.imageRef, imageDigest, attempt.before.digest) },
    createdAt: deps.now(),
  });
  if (runnerId === undefined)
    return postponed(deps, claimed, attempt, 'The host of the service was revoked.');
  await deps.hubs.wake(runnerId);
  return { actAt: deps.now() };
}

/** Why the new version must not be deployed any more, after its update has begun; undefined if it may. */
function refusalToDeploy(
  { now }: Pick<UpdateNeeds, 'now'>,
  claimed: ClaimedStep,
  { until, before, digest, copies }: UpdateAttempt,
): string | undefined {
  const { row, service, live } = claimed;
  if (!windowOf(claimed)) return 'The setting "imageUpdates" was switched off.';
  if (service.imageRef !== row.imageRef) return 'The image of the service was changed.';
  if (row.digest !== digest) return 'The tag has an even newer digest.';
  if (service.stopped) return 'The service was stopped.';
  if (live?.id !== before.deploymentId) return 'Another version was deployed.';
  if (now() < until) return undefined;
  return copies.every(({ isProven }) => isProven)
    ? 'The window ended before the deployment could begin.'
    : 'The window ended before the backups of the volumes were proven.';
}

async function restored(
  deps: UpdateNeeds,
  claimed: ClaimedStep,
  attempt: UpdateAttempt,
  save: (next: UpdateAttempt) => Promise<unknown>,
): Promise<Changes> {
  const failure = attempt.failure ?? '';
  const fail = (detail: string) => ended(deps, attempt, { result: 'failed', detail: `${failure} ${detail}` });
  if (claimed.live?.id !== attempt.before.deploymentId)
    return fail('Another version was deployed since, so its volumes were left alone.');
  const outcome = await restoreCopies(deps, claimed.service, attempt.copies, (copies) =>
    save({ ...attempt, copies }),
  );
  if (outcome === 'waiting') {
    if (deps.now() < attempt.until + restoreLimitMs) return { actAt: deps.now() };
    return fail(
      'The volumes could not be restored for hours: restore the backups before the update by hand.',
    );
  }
  return outcome === 'done'
    ? fail('The version before runs again, with its volumes as they were in the backups before the update.')
    : fail(`The version before runs again, but its volumes could not be restored: ${outcome.failed}`);
}

/** A failure before the new version started has another cause than the version, such as a registry that is down. */
function triedInVain(
  deps: UpdateNeeds,
  claimed: ClaimedStep,
  attempt: UpdateAttempt,
  failure: string,
): Changes {
  const { outcome } = claimed.row;
  const tries = (outcome?.digest === attempt.digest ? outcome.tries : 0) + 1;
  if (tries < triesMax) return postponed(deps, claimed, attempt, failure, tries);
  return ended(deps, attempt, { result: 'failed', detail: failure, tries });
}

/** Nothing was deployed, and the digest will be tried again in a window. */
function postponed(
  deps: UpdateNeeds,
  claimed: ClaimedStep,
  attempt: UpdateAttempt,
  detail: string,
  tries = claimed.row.outcome?.digest === attempt.digest ? claimed.row.outcome.tries : 0,
): Changes {
  const at = deps.now();
  const outcome = { result: 'postponed', digest: attempt.digest, detail, at, tries } as const;
  // Backups are not repeated in the same window; the registry's next answer leads to the next one.
  const retryAt = attempt.copies.length > 0 ? Math.max(attempt.until, at + retryMs) : at + retryMs;
  return { attempt: null, outcome, retryAt, actAt: at };
}

function ended(
  deps: UpdateNeeds,
  { digest }: UpdateAttempt,
  { result, detail, tries = 0 }: Pick<UpdateOutcome, 'result' | 'detail'> & { tries?: number },
): Changes {
  const at = deps.now();
  // A still newer digest is looked at in the next step.
  return {
    ...{ attempt: null, handledDigest: digest, retryAt: null, actAt: at },
    outcome: { result, digest, detail, at, tries },
  };
}

function windowOf({ service }: ClaimedStep) {
  const text = service.kind === 'image' ? service.pushSettings?.imageUpdates : undefined;
  return text === undefined ? undefined : updateWindowOf(text);
}
