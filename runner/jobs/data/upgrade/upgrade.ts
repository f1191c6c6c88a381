/**
 * Moves a database to another version of its engine. The live data is backed up, and a drill loads that backup with the new image on a
 * copy. Only if the drill succeeds, the database is stopped. Its final data is dumped while no other client can write, loaded into a new
 * volume under the new image, and counted. Then a container on that volume replaces the database. The old version is kept for a day.
 */
import type { JobResult } from '../../../../protocol/job-report.ts';
import type { DeploySecrets, UpgradeSpec } from '../../../../protocol/job-spec.ts';
import { JobFailure } from '../../../base/job-failure.ts';
import { EngineError } from '../../../engines/engine-error.ts';
import { pullImage } from '../../../registry/pull-image.ts';
import { removeBackupFile } from '../../../storage/backup-files.ts';
import type { Job, JobContext } from '../../job.ts';
import { type DataAttempt, dataAttempt } from '../data-attempt.ts';
import { untilSwapEnded } from '../finish-swap.ts';
import { refuseTooLittleDisk, refuseTooLittleMemory } from '../room-for-copy.ts';
import { swapData } from '../swap-data.ts';
import { removeIsolatedEngine } from '../volume/isolated-engine.ts';
import { dropKeptVersion, findKeptVersion } from '../volume/kept-version.ts';
import { recoverVolumeSwap } from '../volume/load-volume.ts';
import { ofDatabase, removeUnreportedCopy, type WrittenBackup, writeSafetyCopy } from '../write-backup.ts';
import { fillNewVersion, liveOf } from './fill-new-version.ts';
import { stoppedCopy } from './stopped-copy.ts';
import { recoverUndo, undoUpgrade } from './undo-upgrade.ts';
import {
  lastDumpPath,
  lastNamesOf,
  namesOf,
  partsOf,
  type Upgrade,
  type UpgradeJobParts,
  type UpgradeWork,
} from './upgrade-parts.ts';

export function createUpgradeJob(parts: UpgradeJobParts): Job<UpgradeSpec> {
  return {
    async run(spec, secrets, context) {
      const { work } = spec;
      if (work.type === 'undo') return await undoUpgrade(parts, spec, work, context);
      return await run({ parts, spec, work }, context, secrets.registries);
    },
    async recover(spec, checkpoint, context) {
      const { work } = spec;
      if (work.type === 'undo') return await recoverUndo(parts, spec, work, checkpoint);
      return await recover({ parts, spec, work }, context);
    },
  };
}

async function run(
  upgrade: Upgrade,
  context: JobContext,
  logins: DeploySecrets['registries'],
): Promise<JobResult> {
  const { parts, spec, work } = upgrade;
  const attempt = await dataAttempt(parts, spec, context);
  attempt.enter('fetch');
  await refuseMembers(attempt);
  const access = { allowPrivate: parts.allowPrivateSources, logins };
  const image = await pullImage(parts.docker, work.imageRef, access, context);
  attempt.enter('safeguard');
  const taken = await writeSafetyCopy(ofDatabase(attempt), {
    serviceId: spec.serviceId,
    safetyBackupId: work.safetyBackupId,
  });
  attempt.enter('load');
  await refuseLosses(attempt, work);
  await drill(upgrade, attempt, image, taken);
  if (work.isDryRun) return { outcome: 'succeeded', facts: attempt.facts };
  attempt.enter('dump');
  await exchange(upgrade, attempt, image);
  return { outcome: 'succeeded', facts: attempt.facts };
}

/** @throws JobFailure `upgrade_refused` when other servers belong to the database */
async function refuseMembers({ engine, place }: DataAttempt): Promise<void> {
  await engine.assertAlone?.(place.address, place.env).catch((error: unknown) => {
    if (!(error instanceof EngineError && error.code === 'unsupported')) throw error;
    throw new JobFailure('upgrade_refused', `${error.message} The database was not touched.`, {
      cause: error,
    });
  });
}

/** Refuses to lose data silently: data that a dump does not contain would be lost with the old volume. */
async function refuseLosses(attempt: DataAttempt, { acceptsNotKept, isDryRun }: UpgradeWork): Promise<void> {
  const losses = [...(attempt.facts.archive?.notKept ?? []), ...(await lostByStop(attempt))];
  if (losses.length === 0 || acceptsNotKept || isDryRun) return;
  throw new JobFailure(
    'upgrade_refused',
    `An upgrade would lose data: ${losses.join(' ')} Send "acceptNotKept": true to go on without it. The database was not touched.`,
  );
}

/** @returns a sentence, if there are such tables; it is also written to the job's log, where a dry run shows it */
async function lostByStop({ engine, place }: DataAttempt): Promise<string[]> {
  const names = (await engine.lostByStop?.(place.address, place.env)) ?? [];
  if (names.length === 0) return [];
  const sentence = `The server forgets the rows of these tables when it stops, and an upgrade stops it: ${names.join(', ')}.`;
  place.say?.(sentence);
  return [sentence];
}

/** Loads the backup with the new image on a copy. @throws JobFailure `upgrade_refused` with the reason, `disk_full`, `drill_skipped` */
async function drill(
  upgrade: Upgrade,
  attempt: DataAttempt,
  image: string,
  { archive: file, contents: counts }: WrittenBackup,
): Promise<void> {
  const { parts, work } = upgrade;
  const { place } = attempt;
  const live = await liveOf(upgrade);
  await refuseTooLittleDisk(parts, file.sizeBytes, attempt.engine);
  await refuseTooLittleMemory(parts, live);
  const filled = await fillNewVersion(upgrade, place, { live, image, file, counts }).catch(
    (error: unknown) => {
      place.signal.throwIfAborted();
      throw new JobFailure(
        'upgrade_refused',
        `The drill with ${work.imageRef} failed: ${sentenceOf(error)} The database was not touched.`,
        { cause: error },
      );
    },
  );
  await filled.discard();
  attempt.enter('prove');
}

/** Stops the database. It is unavailable until the new version answers, or the old one again. */
async function exchange(upgrade: Upgrade, attempt: DataAttempt, image: string): Promise<void> {
  const { work } = upgrade;
  const { context, place } = attempt;
  context.log.line('system', 'Stopping the database, so that nothing more is written.');
  try {
    const loaded = await stoppedCopy(upgrade, attempt, image);
    await swapData(attempt, loaded, () => recoverUpgrade(upgrade));
    await removeOldVersionLater(upgrade);
  } catch (error) {
    if ((await endOf(upgrade, context)) === 'swapped') return await removeOldVersionLater(upgrade);
    place.signal.throwIfAborted();
    if (error instanceof JobFailure && error.code === 'switch_denied') throw error;
    throw new JobFailure(
      'upgrade_failed',
      `The upgrade to ${work.imageRef} failed: ${sentenceOf(error)} The previous version runs again, with all its data.`,
      { cause: error },
    );
  } finally {
    await removeBackupFile(lastDumpPath(upgrade));
  }
}

/** The database is stopped until the end, so this keeps trying while Docker is unavailable. */
const endOf = (upgrade: Upgrade, { log }: JobContext) =>
  untilSwapEnded({ end: () => recoverUpgrade(upgrade), say: (line) => log.line('system', line) });

async function removeOldVersionLater({ parts, spec }: Upgrade): Promise<void> {
  const { serviceId, engine } = spec;
  const kept = await findKeptVersion({ docker: parts.docker, serviceId }, namesOf(spec));
  if (kept) parts.removeOldDataLater({ serviceId, engine, ...namesOf(spec), volume: kept.volume });
}

async function recover(upgrade: Upgrade, context: JobContext): Promise<JobResult> {
  const { parts, spec, work } = upgrade;
  const { safetyBackupId } = work;
  await removeBackupFile(lastDumpPath(upgrade));
  await removeUnreportedCopy(parts, { serviceId: spec.serviceId, safetyBackupId }, context);
  if ((await endOf(upgrade, context)) === 'swapped') {
    await removeOldVersionLater(upgrade);
    return { outcome: 'succeeded', facts: {} };
  }
  throw new JobFailure(
    'runner_restarted',
    'The runner was restarted during the upgrade. The previous version runs, with all its data: upgrade again.',
  );
}

/** The error's message with exactly one full stop at its end. */
const sentenceOf = (error: unknown) =>
  `${(error instanceof Error ? error.message : String(error)).replace(/ Nothing was changed\.$/, '').replace(/[\s.]+$/, '')}.`;

/**
 * Finishes or undoes an interrupted upgrade. Containers that work on the data are removed first: two servers never run on one volume.
 * @returns true if the new version is live; otherwise the old one runs and no part of the upgrade is left
 * @throws EngineError, DockerError: try again
 */
async function recoverUpgrade(upgrade: Pick<Upgrade, 'parts' | 'spec'>): Promise<'swapped' | 'untouched'> {
  const parts = partsOf(upgrade);
  const names = namesOf(upgrade.spec);
  for (const one of [lastNamesOf(upgrade.spec), names]) await removeIsolatedEngine(parts, one);
  const ended = await recoverVolumeSwap(parts, names);
  if (ended === 'untouched') await dropKeptVersion(parts, names);
  return ended;
}
