/**
 * The deploy job. Before the switch, all new objects are separate from the old version and are removed on failure or abort; after the
 * switch the new version is live and the job can only succeed.
 */

import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { deployFactsSchema, type JobResult } from '../../../protocol/job-report.ts';
import type { DeploySecrets, DeploySpec } from '../../../protocol/job-spec.ts';
import { labels, stableContainerName } from '../../../protocol/names.ts';
import { allVariables } from '../../../protocol/variable-scope.ts';
import { crashPoint } from '../../base/crash-point.ts';
import { JobFailure } from '../../base/job-failure.ts';
import { releaseDirectory } from '../../builder/release-directory.ts';
import { unpackRelease } from '../../builder/static-image.ts';
import { deploymentLabels } from '../../docker/client.ts';
import { listServiceContainers } from '../../docker/containers.ts';
import { setAliases } from '../../docker/networks/networks.ts';
import { compressRelease } from '../../proxy/compress-release.ts';
import type { Route, RouteTarget } from '../../proxy/traffic.ts';
import type { Job, JobContext } from '../job.ts';
import { type Attempt, type DeployParts, inPhase } from '../parts/attempt.ts';
import { finish, logRecoveredSwitch, removeLater, restartedBeforeSwitch } from '../parts/end-attempt.ts';
import { isPrepared, type PreparedImage, prepareImage } from '../parts/prepare-image.ts';
import { removeAttempt, workDirectory } from '../parts/remove-attempt.ts';
import { startLive } from '../parts/start-live.ts';
import { Undo } from '../undo.ts';
import type { StayUp } from './check-health.ts';
import { completeReplicas } from './replicas.ts';
import { runRelease } from './run-release.ts';
import { type Candidate, containerTarget, startCandidate } from './start-candidate.ts';

export function createDeployJob(parts: DeployParts): Job<DeploySpec> {
  return {
    run: (spec, secrets, context) => run(parts, spec, secrets, context),
    recover: (spec, checkpoint, context) => recover(parts, spec, checkpoint, context),
  };
}

/** The new version: containers, a directory, or (workers) a container without traffic. */
interface NewVersion {
  /** Empty for a directory. */
  candidates: readonly Candidate[];
  target: RouteTarget | null;
}

async function run(
  parts: DeployParts,
  spec: DeploySpec,
  secrets: DeploySecrets,
  context: JobContext,
): Promise<JobResult> {
  const attempt: Attempt = { parts, spec, secrets, context, undo: new Undo(), facts: {} };
  if (await serves(parts, spec)) return await finish(attempt, undefined); // the job was sent again after its end
  const before = parts.traffic.current(spec.serviceId);
  try {
    for (const warning of spec.warnings) context.log.line('system', `Warning: ${warning}`);
    await removeAttempt(parts, spec, { keepsImage: isPrepared(spec) });
    const image = await prepareImage(attempt);
    if (spec.preparesOnly) return await endPreparation(attempt, image);
    const version = await inPhase(attempt, 'start', () => startVersion(attempt, image));
    const checked = await inPhase(attempt, 'health', () => checkVersion(attempt, image.tag, version));
    await inPhase(attempt, 'switch', () => switchOver(attempt, checked));
  } catch (error) {
    if (!(await attempt.undo.run(context.log))) removeLater(attempt);
    throw error;
  } finally {
    await removeWork(parts, spec);
  }
  return await finish(attempt, before);
}

/**
 * The service moves to this host, and its files are not here yet. With volumes, the release command runs when they are; without, it runs
 * before the time without service.
 */
async function endPreparation(attempt: Attempt, { tag, release, site }: PreparedImage): Promise<JobResult> {
  if (release !== null && site === null && !attempt.spec.volumes?.length)
    await runRelease(attempt, { tag, release });
  return { outcome: 'succeeded', facts: attempt.facts };
}

async function startVersion(attempt: Attempt, image: PreparedImage): Promise<NewVersion> {
  const { spec, secrets, context, facts } = attempt;
  context.checkpoint({ facts: { ...facts } });
  if (image.site !== null) {
    if (spec.replicas)
      context.log.line('system', 'Warning: a static site runs no program, so it has no replicas.');
    if (spec.volumes?.length)
      context.log.line('system', 'Warning: a static site runs no program, so its volumes are not mounted.');
    if (secrets.files?.length)
      context.log.line('system', 'Warning: a static site runs no program, so its files are not mounted.');
    if (image.release !== null)
      context.log.line(
        'system',
        'Warning: a static site runs no program, so its release command is not run.',
      );
    return { candidates: [], target: await unpackSite(attempt, image.tag, image.site) };
  }
  if (image.release !== null) await runRelease(attempt, { tag: image.tag, release: image.release });
  const candidate = await startCandidate(attempt, image.tag);
  return { candidates: [candidate], target: containerTarget(spec, [candidate]) };
}

async function unpackSite(
  { parts, spec, secrets, context, undo }: Attempt,
  image: string,
  { path, spa }: { path: string; spa: boolean },
): Promise<RouteTarget> {
  const directory = releaseDirectory(parts.dataDirectory, spec.deploymentId);
  undo.register('remove the release', () => rm(directory, { recursive: true, force: true }));
  const helper = deploymentLabels(parts.docker, { ...spec, epoch: context.epoch }, 'build');
  await unpackRelease(parts.docker, { image, path, labels: helper }, directory, context.signal);
  const { files, bytes, compressedBytes } = await compressRelease(directory, context.signal);
  if (files > 0)
    context.log.line(
      'system',
      `Compressed ${files} files: ${kilobytes(bytes)} KB are sent as ${kilobytes(compressedBytes)} KB.`,
    );
  const fallback = allVariables(secrets).SPA_FALLBACK;
  const has404 = existsSync(join(directory, '404.html'));
  return { type: 'site', directory, spa: fallback ? fallback === 'true' : spa && !has404 };
}

const kilobytes = (bytes: number) => Math.ceil(bytes / 1_000).toLocaleString('en');

const isSite: StayUp = { beforeTraffic: async () => {}, withTraffic: async () => {} };

type CheckedVersion = NewVersion & { stayUp: StayUp };

async function checkVersion(attempt: Attempt, image: string, version: NewVersion): Promise<CheckedVersion> {
  const [first] = version.candidates;
  if (!first) return { ...version, stayUp: isSite };
  const { candidates, stayUp } = await completeReplicas(attempt, image, first);
  return { candidates, target: containerTarget(attempt.spec, candidates), stayUp };
}

/**
 * The commit point. The traffic moves if the new version has stayed up, and moves back if it exits soon after its first answer. Connections
 * of peers follow at once. If the firewall can't send them, the new version gets its name before the traffic. A worker's commit point is
 * the checkpoint.
 */
async function switchOver(attempt: Attempt, { candidates, target, stayUp }: CheckedVersion): Promise<void> {
  const { parts, spec, context, undo } = attempt;
  if (!(await context.requestSwitch())) {
    context.signal.throwIfAborted();
    throw new JobFailure(
      'switch_denied',
      'The control plane gave no permission for the switch; the old version keeps serving.',
    );
  }
  crashPoint('switch:permitted');
  try {
    for (const candidate of candidates.filter(({ isNamed }) => !isNamed)) {
      await setAliases(parts.docker, candidate, candidate.networkId, [spec.serviceSlug]).catch(
        async (error) => {
          await stayUp.beforeTraffic(); // Docker 28 can't connect a container that ends and restarts; its end is the reason
          throw error;
        },
      );
    }
    await stayUp.beforeTraffic();
    const wasKnown = parts.traffic.names().some(({ serviceId }) => serviceId === spec.serviceId);
    // The current route: the version may have fallen asleep, or lost a replica, since the job began.
    const replaced = parts.traffic.current(spec.serviceId);
    undo.register('move the traffic back', () => moveBack(attempt, replaced, wasKnown));
    if (target) await parts.traffic.switchTo(routeTo(spec, target), spec.names);
    else await parts.traffic.remove(spec.serviceId);
    await parts.names.sync();
    crashPoint('switch:moved');
    await stayUp.withTraffic();
    context.checkpoint({ switched: true });
  } catch (error) {
    if (error instanceof JobFailure) throw error;
    throw new JobFailure('switch_failed', `The traffic could not be switched: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

const routeTo = (spec: DeploySpec, target: RouteTarget): Route => ({
  serviceId: spec.serviceId,
  deploymentId: spec.deploymentId,
  hostnames: spec.hostnames,
  hostPort: spec.hostPort,
  ...(target.type === 'container' && spec.sleepAfterMinutes
    ? { sleepAfterMinutes: spec.sleepAfterMinutes }
    : {}),
  target,
});

/** @param wasKnown true if the service had names on this host before; if not, they are removed again (the service was moving here) */
async function moveBack(
  { parts, spec }: Attempt,
  before: Route | undefined,
  wasKnown: boolean,
): Promise<void> {
  const now = parts.traffic.current(spec.serviceId);
  if (now?.deploymentId === before?.deploymentId) return;
  if (before) await parts.traffic.switchTo(before);
  else if (wasKnown) await parts.traffic.remove(spec.serviceId);
  else await parts.traffic.forget(spec.serviceId);
  await parts.names.sync();
}

const checkpointSchema = z.object({
  facts: deployFactsSchema.default({}),
  switched: z.boolean().default(false),
});

/** Finishes the work of a previous process: the traffic (for workers the checkpoint) shows whether it had switched. */
async function recover(
  parts: DeployParts,
  spec: DeploySpec,
  checkpoint: Record<string, unknown>,
  context: JobContext,
): Promise<JobResult> {
  const { facts, switched } = checkpointSchema.parse(checkpoint);
  if ((await serves(parts, spec)) || (switched && (await hasContainer(parts, spec)))) {
    logRecoveredSwitch(context);
    const attempt: Attempt = {
      parts,
      spec,
      secrets: { env: {}, gitToken: null },
      context,
      undo: new Undo(),
      facts,
    };
    await removeWork(parts, spec);
    return await finish(attempt, undefined);
  }
  try {
    await removeAttempt(parts, spec);
    if (spec.volumes?.length) await startLive(parts, spec.serviceId);
  } catch {
    // Docker is unavailable: the chore does both.
    removeLater({ parts, spec, context });
  }
  throw restartedBeforeSwitch();
}

const removeWork = (parts: DeployParts, { deploymentId }: DeploySpec) =>
  rm(workDirectory(parts.dataDirectory, deploymentId), { recursive: true, force: true });

/** True if this deployment is already live. Workers have no route: their container's name shows it. */
async function serves(parts: DeployParts, spec: DeploySpec): Promise<boolean> {
  if (spec.runtimeMode !== 'worker')
    return parts.traffic.current(spec.serviceId)?.deploymentId === spec.deploymentId;
  return await hasContainer(parts, spec, stableContainerName(spec.serviceId));
}

async function hasContainer(parts: DeployParts, spec: DeploySpec, name?: string): Promise<boolean> {
  const containers = await listServiceContainers(parts.docker, spec.serviceId);
  return containers.some(
    (one) => one.labels[labels.deployment] === spec.deploymentId && (name === undefined || one.name === name),
  );
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
