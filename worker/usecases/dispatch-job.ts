/**
 * From a claimed job to the frame that starts it. Spec and variables are read now, not when the job was queued, and frozen in the
 * deployment's snapshot: a `start` that is sent again, and a later rollback, start the very same thing.
 */
import { z } from 'zod';
import { type HubFrameOf, protocolVersion } from '../../protocol/frames.ts';
import { type DeploySecrets, deploySecretsSchema, deploySpecSchema } from '../../protocol/job-spec.ts';
import { deploySpecOf, UndispatchableError } from '../domain/deploy-spec.ts';
import { sealBox } from '../security/sealed-box.ts';
import { gitTokenPlace } from '../security/secret-places.ts';
import {
  type DispatchRows,
  findDispatch,
  listActiveDomains,
  writeSnapshot,
} from '../store/dispatch-store.ts';
import { isStoreFailure } from '../store/store-failure.ts';
import type { Dependencies } from './dependencies.ts';
import { endJobByPlatform } from './end-job.ts';
import { resolveServiceVariables } from './resolve-variables.ts';

/** Longest time an attempt may take, from its claim. Also known to the runner, which enforces it first. */
export const jobDeadlineMs = 30 * 60_000;

const snapshotSchema = z.object({ spec: deploySpecSchema, env: deploySecretsSchema.shape.env });
type Snapshot = z.infer<typeof snapshotSchema>;

/**
 * Makes the `start` frame of an active job.
 * @returns undefined when there is nothing to start: the job is over, or can't be described and was ended with the reason.
 * @throws what the store throws: the job stays active and is dispatched later.
 */
export async function dispatchJob(
  deps: Dependencies,
  jobId: string,
): Promise<HubFrameOf<'start'> | undefined> {
  const rows = await findDispatch(deps.db, jobId);
  if (!rows) return undefined;
  try {
    return await startFrame(deps, rows);
  } catch (error) {
    if (isStoreFailure(error)) throw error;
    console.error(`${jobId} can't be dispatched`, error);
    const failure = { code: 'internal', message: sentenceOf(error) } as const;
    await endJobByPlatform(deps, jobId, 'undispatchable', failure);
    return undefined;
  }
}

async function startFrame(deps: Dependencies, rows: DispatchRows): Promise<HubFrameOf<'start'>> {
  const { job, sealingKey } = rows;
  const { spec, env } = (await openSnapshot(deps, rows)) ?? (await takeSnapshot(deps, rows));
  const secrets: DeploySecrets = { env, gitToken: await openGitToken(deps, rows) };
  const place = { runnerId: job.runnerId, job: job.id, epoch: job.epoch };
  return {
    v: protocolVersion,
    type: 'start',
    job: job.id,
    epoch: job.epoch,
    deadlineMs: job.deadlineAt === null ? jobDeadlineMs : job.deadlineAt - deps.now(),
    spec,
    sealed: await sealBox(sealingKey, place, JSON.stringify(secrets)),
  };
}

async function openSnapshot(deps: Dependencies, rows: DispatchRows): Promise<Snapshot | undefined> {
  const { deployment, project } = rows;
  if (deployment.sealedSnapshot === null) return undefined;
  const clear = await deps.envelope.open(
    project.wrappedDataKey,
    project.id,
    snapshotPlace(deployment.id),
    deployment.sealedSnapshot,
  );
  return snapshotSchema.parse(JSON.parse(clear));
}

async function takeSnapshot(deps: Dependencies, rows: DispatchRows): Promise<Snapshot> {
  const { service, project, deployment } = rows;
  const { env, warnings } = await resolveServiceVariables(deps, service, project);
  const activeDomains = await listActiveDomains(deps.db, service.id);
  const spec = deploySpecOf({ service, deploymentId: deployment.id, activeDomains, env, warnings });
  const snapshot = { spec, env };
  const sealed = await deps.envelope.seal(
    project.wrappedDataKey,
    project.id,
    snapshotPlace(deployment.id),
    JSON.stringify(snapshot),
  );
  await writeSnapshot(deps.db, deployment.id, sealed);
  return snapshot;
}

/** Not in the snapshot: a token that was replaced or taken away must not live on in old deployments. */
async function openGitToken(deps: Dependencies, { service, project }: DispatchRows): Promise<string | null> {
  if (service.sealedGitToken === null) return null;
  return deps.envelope.open(
    project.wrappedDataKey,
    project.id,
    gitTokenPlace(service.id),
    service.sealedGitToken,
  );
}

function snapshotPlace(deploymentId: string) {
  return { table: 'deployments', column: 'sealed_snapshot', rowId: deploymentId };
}

function sentenceOf(error: unknown): string {
  if (error instanceof UndispatchableError) return error.message;
  return "The deployment could not be prepared: the service's variables or its repository token do not decrypt. Set them again.";
}
