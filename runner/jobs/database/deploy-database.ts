/**
 * Deploys a database: one container at a time on the service's own volume. First it prepares the new image; then it stops the old container
 * and starts the new one on the same data. Before the commit point every failure restores the old container.
 */
import { z } from 'zod';
import { deployFactsSchema, type JobResult } from '../../../protocol/job-report.ts';
import type { DeploySecrets, DeploySpec } from '../../../protocol/job-spec.ts';
import { dataVolumeName, labels, stableContainerName } from '../../../protocol/names.ts';
import { crashPoint } from '../../base/crash-point.ts';
import { JobFailure } from '../../base/job-failure.ts';
import {
  type ContainerFacts,
  environmentOf,
  listServiceContainers,
  startContainer,
} from '../../docker/containers.ts';
import { dataVolumeOf } from '../../docker/copy-container.ts';
import { offersTls } from '../../docker/offers-tls.ts';
import { removeVolume, volumeMaker } from '../../docker/volumes.ts';
import type { EngineEnvironment } from '../../engines/engine.ts';
import { EngineError } from '../../engines/engine-error.ts';
import { engines } from '../../engines/index.ts';
import type { Job, JobContext } from '../job.ts';
import { type Attempt, type DeployParts, inPhase } from '../parts/attempt.ts';
import { finish, logRecoveredSwitch, removeLater, restartedBeforeSwitch } from '../parts/end-attempt.ts';
import { prepareImage } from '../parts/prepare-image.ts';
import { removeAttempt } from '../parts/remove-attempt.ts';
import { Undo } from '../undo.ts';
import { type Predecessor, replaceContainer } from './replace-container.ts';
import { type DatabaseAttempt, isServing, waitUntilServing } from './wait-until-serving.ts';

export function createDatabaseJob(parts: DeployParts): Job<DeploySpec> {
  return {
    run: (spec, secrets, context) => run(parts, spec, secrets, context),
    recover: (spec, checkpoint, context) => recover(parts, spec, checkpoint, context),
  };
}

async function run(
  parts: DeployParts,
  spec: DeploySpec,
  secrets: DeploySecrets,
  context: JobContext,
): Promise<JobResult> {
  const attempt = databaseAttempt({ parts, spec, secrets, context, undo: new Undo(), facts: {} });
  if ((await stableContainer(attempt))?.labels[labels.deployment] === spec.deploymentId) {
    return await finish(attempt, undefined); // the job was sent again after its end
  }
  try {
    for (const warning of spec.warnings) context.log.line('system', `Warning: ${warning}`);
    showSettings(attempt);
    await removeAttempt(parts, spec);
    const image = await prepareImage(attempt);
    const before = await predecessor(attempt);
    const options = before ? await optionsOf(attempt, before, before.env) : {};
    const container = await inPhase(attempt, 'start', () => replaceContainer(attempt, image.tag, before));
    const credentials = attempt.engine.credentialsIn === 'data' && before ? before.env : secrets.env;
    await inPhase(attempt, 'health', () => waitUntilServing(attempt, container, credentials));
    await inPhase(attempt, 'switch', () => commit(attempt, container, before?.env ?? secrets.env));
    warnOfEndedOptions(attempt, options, await optionsOf(attempt, container, secrets.env));
  } catch (error) {
    if (!(await attempt.undo.run(context.log))) removeLater(attempt);
    throw error;
  }
  return await finish(attempt, undefined);
}

/** Logs the settings that were derived from the memory limit. They are not secret, because no user chose them. */
function showSettings({ made: { fromMemory }, spec: { memoryLimitMb }, context }: DatabaseAttempt): void {
  const settings = Object.entries(fromMemory).map(([name, value]) => `${name} = ${value}`);
  if (settings.length === 0) return;
  context.log.line('system', `Settings for a memory limit of ${memoryLimitMb} MB: ${settings.join(', ')}.`);
}

/** Asks for permission; then the new container becomes the database, and a changed password is written into its data. */
async function commit(
  attempt: DatabaseAttempt,
  container: { id: string; address: string },
  before: EngineEnvironment,
): Promise<void> {
  const { engine, secrets, context, undo } = attempt;
  if (!(await context.requestSwitch())) {
    context.signal.throwIfAborted();
    throw new JobFailure(
      'switch_denied',
      'The control plane gave no permission for the switch; the old container keeps running.',
    );
  }
  crashPoint('switch:permitted');
  context.checkpoint({ permitted: true });
  const address = { host: container.address, port: attempt.port };
  undo.register('restore the old password', async () => {
    const isChanged = await isServing(engine, address, secrets.env);
    if (isChanged) await engine.changeCredentials(address, secrets.env, before);
  });
  try {
    await engine.changeCredentials(address, before, secrets.env);
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    throw new JobFailure('switch_failed', `The database keeps its old credentials: ${error.message}`, {
      cause: error,
    });
  }
  crashPoint('switch:moved');
  await waitUntilServing(attempt, container, secrets.env);
}

const checkpointSchema = z.object({
  facts: deployFactsSchema.default({}),
  permitted: z.boolean().default(false),
});

/** Finishes if the new container had the permission and answers with the new credentials; otherwise undoes the whole attempt. */
async function recover(
  parts: DeployParts,
  spec: DeploySpec,
  checkpoint: Record<string, unknown>,
  context: JobContext,
): Promise<JobResult> {
  const { facts, permitted } = checkpointSchema.parse(checkpoint);
  const secrets = { env: {}, gitToken: null };
  const attempt = databaseAttempt({ parts, spec, secrets, context, undo: new Undo(), facts });
  const containers = await listServiceContainers(parts.docker, spec.serviceId);
  const made = containers.find((one) => one.labels[labels.deployment] === spec.deploymentId);
  const isStable = made?.name === stableContainerName(spec.serviceId);
  if (made && (isStable || (permitted && (await servesAgain(attempt, made))))) {
    logRecoveredSwitch(context);
    return await finish(attempt, undefined);
  }
  await removeAttempt(parts, spec);
  await removeOwnVolume(attempt);
  const old = await stableContainer(attempt);
  const wasStopped = parts.traffic.current(spec.serviceId)?.target.type === 'stopped';
  if (old && !wasStopped) await startContainer(parts.docker, old.id);
  throw restartedBeforeSwitch();
}

async function servesAgain(attempt: DatabaseAttempt, container: ContainerFacts): Promise<boolean> {
  const { docker } = attempt.parts;
  const env = await environmentOf(docker, container.id);
  const { id, address } = container;
  if (address === null) return false;
  await startContainer(docker, id);
  return await waitUntilServing(attempt, { id, address }, env).then(
    () => true,
    (error: unknown) => {
      if (error instanceof JobFailure && error.code === 'health_failed') return false;
      throw error;
    },
  );
}

/**
 * Removes a volume that this failed deployment created: it contains no valuable data, and a later deployment would mistake an incomplete
 * volume for a complete one.
 */
async function removeOwnVolume({ parts: { docker }, spec }: Pick<Attempt, 'parts' | 'spec'>) {
  const name = dataVolumeName(spec.serviceId);
  if ((await volumeMaker(docker, name)) === spec.deploymentId) await removeVolume(docker, name);
}

function databaseAttempt(attempt: Attempt): DatabaseAttempt {
  const { source, memoryLimitMb } = attempt.spec;
  if (source.type !== 'database')
    throw new JobFailure('start_failed', 'This host cannot run databases of this engine yet.');
  const engine = engines[source.engine];
  const { logicalReplication, engineSettings: chosen = {} } = source;
  const made = engine.container({ env: attempt.secrets.env, logicalReplication, memoryLimitMb, chosen });
  return { ...attempt, engine, source, made, port: made.port };
}

async function stableContainer({ parts, spec }: Attempt): Promise<ContainerFacts | undefined> {
  const containers = await listServiceContainers(parts.docker, spec.serviceId);
  return containers.find(({ name }) => name === stableContainerName(spec.serviceId));
}

async function predecessor(attempt: Attempt): Promise<Predecessor | undefined> {
  const old = await stableContainer(attempt);
  if (!old) return undefined;
  const env = await environmentOf(attempt.parts.docker, old.id);
  const volume = await dataVolumeOf(attempt.parts.docker, old.id);
  return { id: old.id, address: old.address, env, offersTls: offersTls(old), volume };
}

type Options = Readonly<Record<string, string>>;

/** The options of a running server; none if it does not answer, or its engine stores them in the data. */
async function optionsOf(
  { engine, port }: Pick<DatabaseAttempt, 'engine' | 'port'>,
  container: { address: string | null } | undefined,
  env: EngineEnvironment,
): Promise<Options> {
  if (!engine.runtimeOptions || !container?.address) return {};
  return engine.runtimeOptions({ host: container.address, port }, env).catch(() => ({}));
}

/**
 * Warns of options that differ now, unless a setting of the service or its memory limit decides them: options set in the running server are
 * lost with its container.
 */
function warnOfEndedOptions({ made, source, context }: DatabaseAttempt, before: Options, now: Options) {
  const decided = { ...made.fromMemory, ...source.engineSettings };
  const ended = Object.entries(before).filter(
    ([name, value]) => now[name] !== undefined && now[name] !== value && decided[name] === undefined,
  );
  if (ended.length === 0) return;
  const changes = ended.map(([name, value]) => `${name} was "${value}" and is "${now[name]}"`).join(', ');
  context.log.line(
    'system',
    `Warning: ${changes}. Options that are set in the running server (CONFIG SET) are lost with its container: to keep them, set them in the service's "engineSettings".`,
  );
}
