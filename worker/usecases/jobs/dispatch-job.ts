/** Builds the start frame of a claimed job. Spec and variables are read now, not when the job was queued (deployment-snapshot). */
import { type HubFrameOf, protocolVersion } from '../../../protocol/frames.ts';
import type { FailureCode } from '../../../protocol/job-report.ts';
import type { DeploySecrets, DeploySpec, JobSpec } from '../../../protocol/job-spec.ts';
import { dataJobSpecOf } from '../../domain/deployments/data-job-spec.ts';
import { UndispatchableError } from '../../domain/deployments/deploy-spec.ts';
import { assertRailpackAllowed } from '../../domain/deployments/railpack-rule.ts';
import { ApiError } from '../../domain/errors.ts';
import { refusalOf } from '../../domain/hosts/host-sharing.ts';
import { sealBox } from '../../security/sealed-box.ts';
import { gitTokenPlace, importSourcePlace } from '../../security/secret-places.ts';
import { findRunDispatch } from '../../store/commands/run-store.ts';
import { type DataDispatchRows, findDataDispatch } from '../../store/jobs/data-dispatch-store.ts';
import { type DispatchRows, findDispatch } from '../../store/jobs/dispatch-store.ts';
import { isStoreFailure } from '../../store/sql/store-failure.ts';
import { openBackupIdentity } from '../backups/backup-keys.ts';
import type { Dependencies } from '../dependencies.ts';
import { snapshotOf } from '../deployments/deployment-snapshot.ts';
import { runStartOf } from '../deployments/run-start.ts';
import { openGitCredential } from '../keys/git-credentials.ts';
import { openLogins } from '../keys/registries.ts';
import { transferTokenOf } from '../transfer-token.ts';
import { partOfMove } from './begin-transfer.ts';
import { endJobByPlatform } from './end-job.ts';
import { withOwnCertificates } from './own-certificates-of-spec.ts';
import {
  assertBacksUpVolumes,
  assertBuildsUploads,
  assertDrillsVolumes,
  assertEncrypts,
  assertMountsFiles,
  assertMountsVolumes,
  assertRunsReplicas,
  assertServesNames,
  assertSleepsWhenIdle,
} from './runner-age.ts';

/** Longest time that an attempt may take from its claim. The runner gets it too, and enforces it first. */
export const jobDeadlinesMs = { deploy: 30 * 60_000, data: 6 * 3_600_000 };

/** Bound for transfers of the service during dispatch, each of which restarts it. */
const transferRoundsMax = 3;

/**
 * Makes the `start` frame of an active job.
 * @param deploys called for a deployment: its host may not have the alert rules and log drains of the project yet
 * @returns undefined if there is nothing to start: the job has ended, or its spec can't be built and it was ended with the reason
 * @throws what the store throws: the job stays active and is dispatched later
 */
export async function dispatchJob(
  deps: Dependencies,
  jobId: string,
  deploys: (project: { hasAlertRules: boolean; hasLogDrains: boolean }) => void = () => {},
): Promise<HubFrameOf<'start'> | undefined> {
  for (let round = 1; ; round++) {
    const rows = await findDispatch(deps.db, jobId);
    if (!rows) return (await dispatchRun(deps, jobId)) ?? (await dispatchDataJob(deps, jobId));
    deploys(rows);
    try {
      return await startFrame(deps, rows);
    } catch (error) {
      if (isStoreFailure(error)) throw error;
      if (round < transferRoundsMax && (await isTransferred(deps, jobId, rows))) continue;
      console.error(`${jobId} can't be dispatched`, error);
      await endJobByPlatform(deps, jobId, 'undispatchable', failureOf(error));
      return undefined;
    }
  }
}

/** Dispatches a data job: its parameters are in rows, its database's credentials in the container. */
async function dispatchDataJob(deps: Dependencies, jobId: string): Promise<HubFrameOf<'start'> | undefined> {
  const rows = await findDataDispatch(deps.db, jobId);
  if (!rows) return undefined;
  try {
    // Every other data job runs the image that the database runs already.
    if (rows.upgrade && rows.upgrade.undoes === null) assertKeptApart(rows);
    assertEncrypts(rows);
    assertBacksUpVolumes(rows);
    assertDrillsVolumes(rows);
    const spec = dataJobSpecOf(rows);
    const transferToken = await transferTokenOf(deps, rows.job);
    const secrets: DeploySecrets = {
      env: {},
      gitToken: null,
      transferToken,
      ...(await openSource(deps, rows)),
      ...(await identityFor(deps, rows)),
      // Only an upgrade pulls an image.
      ...(rows.upgrade ? await loginsFor(deps, rows) : {}),
    };
    return await sealedStart(deps, rows, spec, secrets);
  } catch (error) {
    if (isStoreFailure(error)) throw error;
    console.error(`${jobId} can't be dispatched`, error);
    const failure =
      error instanceof UndispatchableError
        ? { code: error.code, message: error.message }
        : { code: 'internal' as const, message: 'The job could not be prepared: start it again.' };
    await endJobByPlatform(deps, jobId, 'undispatchable', failure);
    return undefined;
  }
}

/** Dispatches a command: its variables are those of now. @returns undefined if the job is none, has ended, or could not be prepared */
async function dispatchRun(deps: Dependencies, jobId: string): Promise<HubFrameOf<'start'> | undefined> {
  const rows = await findRunDispatch(deps.db, jobId);
  if (!rows) return undefined;
  try {
    assertKeptApart(rows);
    const { spec, ...variables } = await runStartOf(deps, rows);
    return await sealedStart(deps, rows, spec, { ...variables, gitToken: null });
  } catch (error) {
    if (isStoreFailure(error)) throw error;
    console.error(`${jobId} can't be dispatched`, error);
    await endJobByPlatform(deps, jobId, 'undispatchable', failureOf(error));
    return undefined;
  }
}

/** Whether the service has moved to another project since: its secrets are then sealed with another key. */
async function isTransferred(deps: Dependencies, jobId: string, before: DispatchRows): Promise<boolean> {
  const now = await findDispatch(deps.db, jobId);
  return now !== undefined && now.project.id !== before.project.id;
}

async function startFrame(deps: Dependencies, rows: DispatchRows): Promise<HubFrameOf<'start'>> {
  // A rollback starts what ran there before.
  if (rows.deployment.sourceDeploymentId === null) assertKeptApart(rows);
  const { spec: whole, ...variables } = await snapshotOf(deps, rows);
  assertRailpackAllowed(rows, variables.env);
  assertMountsVolumes(rows.host, whole);
  const spec = await withOwnCertificates(deps, rows, await partOfMove(deps, rows, whole));
  assertMountsFiles(rows.host, variables);
  assertBuildsUploads(rows.host, spec);
  assertServesNames(rows.host, spec);
  assertRunsReplicas(rows.host, spec);
  assertSleepsWhenIdle(rows.host, spec);
  // Not in the snapshot, so that no removed login lives on in it. A rollback pulls nothing: a lost login must not prevent it.
  const logins = rows.deployment.sourceDeploymentId === null ? await loginsFor(deps, rows) : {};
  return sealedStart(deps, rows, spec, {
    ...variables,
    gitToken: await openGitToken(deps, rows),
    ...(spec.source.type === 'upload' ? { transferToken: await transferTokenOf(deps, rows.job) } : {}),
    ...(await gitCredentialFor(deps, rows, spec, variables.env)),
    ...logins,
  });
}

/** A service's own token or key is used instead. @throws UndispatchableError */
async function gitCredentialFor(
  deps: Dependencies,
  { service, gitCredentials }: DispatchRows,
  { source }: DeploySpec,
  env: DeploySecrets['env'],
): Promise<Pick<DeploySecrets, 'gitCredential'>> {
  if (source.type !== 'git' || service.sealedGitToken !== null) return {};
  const gitCredential = await openGitCredential(
    deps,
    gitCredentials,
    source.url,
    env.GIT_SUBMODULES !== undefined,
  );
  return gitCredential ? { gitCredential } : {};
}

/** @throws UndispatchableError */
async function loginsFor(
  deps: Pick<Dependencies, 'envelope'>,
  { registries: sealed }: Pick<DispatchRows, 'registries'>,
): Promise<Pick<DeploySecrets, 'registries'>> {
  const registries = await openLogins(deps, sealed);
  return registries.length > 0 ? { registries } : {};
}

/**
 * Brings no new code of a tenant to a host where it could reach another's: rows and facts may have changed since the service was placed.
 * @throws UndispatchableError
 */
function assertKeptApart({
  host,
  project,
}: Pick<DispatchRows, 'host'> & { project: { tenantId: string } }): void {
  const refusal = refusalOf(host, project.tenantId, host.isSharedWithOthers);
  if (refusal !== null) throw new UndispatchableError(refusal, 'not_isolated');
}

/** @throws UndispatchableError that names the key, if it is lost */
async function identityFor(
  deps: Pick<Dependencies, 'db' | 'envelope'>,
  { restored }: DataDispatchRows,
): Promise<Pick<DeploySecrets, 'backupIdentity'>> {
  if (!restored?.encryptedWith) return {};
  try {
    return { backupIdentity: await openBackupIdentity(deps, restored.encryptedWith) };
  } catch (error) {
    if (error instanceof ApiError) throw new UndispatchableError(error.message);
    throw error;
  }
}

async function sealedStart(
  deps: Pick<Dependencies, 'now'>,
  { job, sealingKey }: Pick<DispatchRows, 'job' | 'sealingKey'>,
  spec: JobSpec,
  secrets: DeploySecrets,
): Promise<HubFrameOf<'start'>> {
  const deadlineMs = jobDeadlinesMs[job.kind === 'deploy' ? 'deploy' : 'data'];
  const place = { runnerId: job.runnerId, job: job.id, epoch: job.epoch };
  return {
    v: protocolVersion,
    type: 'start',
    job: job.id,
    epoch: job.epoch,
    deadlineMs: job.deadlineAt === null ? deadlineMs : job.deadlineAt - deps.now(),
    spec,
    sealed: await sealBox(sealingKey, place, JSON.stringify(secrets)),
  };
}

/** Not part of the snapshot, so that a replaced or removed token does not live on in old deployments. */
async function openGitToken(deps: Dependencies, { service, project }: DispatchRows): Promise<string | null> {
  if (service.sealedGitToken === null) return null;
  return deps.envelope.open(
    project.wrappedDataKey,
    project.id,
    gitTokenPlace(service.id),
    service.sealedGitToken,
  );
}

/** The URL that an import reads. @throws what decryption throws; UndispatchableError if the import has ended in the meantime */
async function openSource(
  { envelope }: Pick<Dependencies, 'envelope'>,
  { project, import: asked }: DataDispatchRows,
): Promise<Pick<DeploySecrets, 'sourceUrl'>> {
  if (!asked) return {};
  const { id, source, sealedSource } = asked;
  if (source === 'file') return {};
  if (sealedSource === null) throw new UndispatchableError('The import has already ended.');
  const place = importSourcePlace(id);
  return { sourceUrl: await envelope.open(project.wrappedDataKey, project.id, place, sealedSource) };
}

function failureOf(error: unknown): { code: FailureCode; message: string } {
  if (error instanceof UndispatchableError) return { code: error.code, message: error.message };
  const message =
    "The deployment could not be prepared because the service's variables or its git token can't be decrypted: set them again.";
  return { code: 'internal', message };
}
