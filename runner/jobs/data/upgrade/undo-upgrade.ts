/**
 * Undoes an upgrade: the previous version runs again on its volume. Data written since the upgrade is kept in the volume of the new version
 * for a day.
 */
import { z } from 'zod';
import type { JobPhase, JobResult } from '../../../../protocol/job-report.ts';
import type { UpgradeSpec } from '../../../../protocol/job-spec.ts';
import { restoredVolumeName } from '../../../../protocol/names.ts';
import { crashPoint } from '../../../base/crash-point.ts';
import { JobFailure } from '../../../base/job-failure.ts';
import { dataVolumeOf } from '../../../docker/copy-container.ts';
import { EngineError } from '../../../engines/engine-error.ts';
import type { JobContext } from '../../job.ts';
import { swapData } from '../swap-data.ts';
import { dropKeptVersion, findKeptVersion } from '../volume/kept-version.ts';
import { recoverContainerSwap, swapContainers } from '../volume/swap-containers.ts';
import { liveOf } from './fill-new-version.ts';
import { namesOf, partsOf, type UndoWork, type UpgradeJobParts } from './upgrade-parts.ts';

const volumesSchema = z.object({ oldVolume: z.string(), newVolume: z.string() });
type Volumes = z.infer<typeof volumesSchema>;

/** @throws JobFailure `upgrade_failed` when the upgrade cannot be undone; then nothing was changed. DockerError; the signal's reason */
export async function undoUpgrade(
  parts: UpgradeJobParts,
  spec: UpgradeSpec,
  work: UndoWork,
  context: JobContext,
): Promise<JobResult> {
  const of = partsOf({ parts, spec });
  const upgraded = namesOf({ upgradeId: work.undoes });
  const enter = (phase: JobPhase) => {
    context.enter(phase, {});
    crashPoint(`${phase}:begun`);
  };
  enter('fetch');
  const kept = await findKeptVersion(of, upgraded);
  if (!kept) throw noWayBack('The previous version is no longer kept on the host');
  const live = await liveOf({ parts, spec });
  const newVolume = restoredVolumeName(spec.serviceId, upgraded.suffix);
  if ((await dataVolumeOf(of.docker, live.id)) !== newVolume)
    throw noWayBack('The data was replaced since the upgrade');
  const volumes = { oldVolume: kept.volume, newVolume };
  context.checkpoint(volumes);
  const back = { ...namesOf(spec), volume: kept.volume, modelId: kept.id };
  const loaded = { swap: () => swapContainers(of, live, back) };
  await swapData({ context, enter }, loaded, () => recoverContainerSwap(of, back)).catch((error: unknown) => {
    if (!(error instanceof EngineError)) throw error;
    throw new JobFailure(
      'upgrade_failed',
      `The previous version could not be started: ${error.message} The upgraded version runs, with all its data.`,
      { cause: error },
    );
  });
  return await finish(parts, spec, work, volumes);
}

/** @param checkpoint of the previous process */
export async function recoverUndo(
  parts: UpgradeJobParts,
  spec: UpgradeSpec,
  work: UndoWork,
  checkpoint: Record<string, unknown>,
): Promise<JobResult> {
  const volumes = volumesSchema.safeParse(checkpoint).data;
  const of = partsOf({ parts, spec });
  const back = volumes && { ...namesOf(spec), volume: volumes.oldVolume };
  if (back && (await recoverContainerSwap(of, back)) === 'swapped')
    return await finish(parts, spec, work, volumes);
  throw new JobFailure(
    'runner_restarted',
    'The runner was restarted before the undo was complete. The upgraded version runs, and nothing was changed: undo the upgrade again.',
  );
}

async function finish(
  parts: UpgradeJobParts,
  spec: UpgradeSpec,
  work: UndoWork,
  { newVolume }: Volumes,
): Promise<JobResult> {
  await dropKeptVersion(partsOf({ parts, spec }), namesOf({ upgradeId: work.undoes }));
  const { serviceId, engine } = spec;
  parts.removeOldDataLater({ serviceId, engine, ...namesOf(spec), volume: newVolume, isUndone: true });
  return { outcome: 'succeeded', facts: {} };
}

const noWayBack = (why: string) =>
  new JobFailure(
    'upgrade_failed',
    `${why}, so the upgrade cannot be undone. Nothing was changed: restore a backup instead.`,
  );
