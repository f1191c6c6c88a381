/**
 * Runs a user's command in the running container of a service, beside its app: with the volumes, files, user, variables and limits of
 * that container. The app goes on in any case. Docker leaves such a command running when nobody follows it, so its processes carry a mark,
 * by which they are ended.
 */
import type { JobResult } from '../../../protocol/job-report.ts';
import type { RunSpec } from '../../../protocol/job-spec.ts';
import { labels } from '../../../protocol/names.ts';
import { pause, systemClock } from '../../base/clock.ts';
import { JobFailure } from '../../base/job-failure.ts';
import {
  commandMark,
  type Ending,
  endProcesses,
  isRunning,
  type Marked,
  shellVariable,
} from '../../base/marked-processes.ts';
import type { DockerHost } from '../../docker/client.ts';
import {
  type ContainerFacts,
  environmentOf,
  hasLiveName,
  inspectContainer,
  listServiceContainers,
  replicaOf,
} from '../../docker/containers.ts';
import { isNotFound } from '../../docker/docker-error.ts';
import { endOf, exitSentence, ranOutOfMemory } from '../../docker/events.ts';
import { secretsIn } from '../../docker/secret-keys.ts';
import { ExecFrames } from '../../docker/shell/exec-frames.ts';
import { type ShellExec, shellOf, startShellExec } from '../../docker/shell/shell-exec.ts';
import type { JobContext } from '../job.ts';
import type { DeployParts } from '../parts/attempt.ts';
import { startFailure } from '../parts/start-failure.ts';
import { timeIsOver, timeLimitOf } from './command-time-limit.ts';

export type LiveRunParts = Pick<DeployParts, 'docker' | 'traffic'>;

/** As for a command in a container of its own, which Docker stops. */
const ending: Ending = { signal: 'SIGTERM', graceMs: 10_000 };
/** The interval of checks that the command still runs: its background processes may keep its output open. */
const lookMs = 500;
/** The time for output that is still in transit when the command has ended. */
const drainMs = 250;
/** Exit code of SIGKILL, with which processes end when their container ends or memory runs out. */
const killedCode = 137;
/** Docker reports the end of a container a moment after the end of its processes. */
const endLooks = 4;

/** @throws JobFailure `start_failed` if nothing runs, `deadline`, `run_failed` if the container ended; the signal's reason */
export async function runInLive(
  { docker, traffic }: LiveRunParts,
  spec: RunSpec,
  { log, signal }: JobContext,
): Promise<JobResult> {
  const container = await runningContainer(docker, traffic, spec);
  log.hide(secretsIn(await environmentOf(docker, container.id), container.labels));
  log.line(
    'system',
    `Runs in the container ${container.name} of ${container.labels[labels.deployment]}, beside the app.`,
  );
  const marked: Marked = {
    mark: commandMark(docker.instance, spec.runId),
    leader: 0,
    container: container.pid,
  };
  const begunAt = Date.now();
  const timeLimit = timeLimitOf(spec);
  const either = AbortSignal.any([signal, timeLimit]);
  let exec: ShellExec | undefined;
  let isStopped: boolean;
  try {
    exec = await start(docker, container, marked.mark, spec);
    marked.leader = exec.pid;
    await followToEnd(exec, marked, log, either);
    isStopped = either.aborted; // what is stopped while the rest is ended below has succeeded or failed before
  } finally {
    exec?.stream.destroy();
    const left = await endProcesses(systemClock, marked, ending);
    if (left > 0) log.line('system', `${left} processes of the command could not be ended.`);
  }
  if (!isStopped) return await resultOf(docker, container, exec, begunAt);
  signal.throwIfAborted();
  throw timeIsOver(spec);
}

/** Ends what is left of a command whose runner has ended: nobody can follow or mask its output any more. */
export async function endInLive({ docker }: Pick<LiveRunParts, 'docker'>, { runId }: RunSpec): Promise<void> {
  const mark = commandMark(docker.instance, runId);
  await endProcesses(systemClock, { mark, leader: 0, container: 0 }, ending);
}

/** The live container; of several replicas the first one that runs. @throws JobFailure `start_failed` */
async function runningContainer(
  docker: DockerHost,
  traffic: DeployParts['traffic'],
  { serviceId }: RunSpec,
): Promise<ContainerFacts> {
  const live = (await listServiceContainers(docker, serviceId))
    .filter(hasLiveName)
    .sort((a, b) => replicaOf(a.labels) - replicaOf(b.labels));
  const running = live.find((one) => one.running && !one.restarting);
  if (running) return running;
  const target = traffic.current(serviceId)?.target;
  const isAsleep = target?.type === 'container' && target.asleep === true;
  throw new JobFailure(
    'start_failed',
    `The command was not started, because ${isAsleep ? asleep : whyNot(live[0])}. ${wayOut}`,
  );
}

const asleep = 'the service is asleep: send it a request first';

function whyNot(container: ContainerFacts | undefined): string {
  if (!container) return 'no container of the service runs on its host: deploy it first';
  if (container.restarting) return 'the container of the service keeps crashing: read its runtime log';
  return `the container of the service does not run at the moment (its last exit code is ${container.exitCode}): read its runtime log`;
}

const wayOut = 'With "container": "new" a command needs no running container, but gets no volumes.';

async function start(
  docker: DockerHost,
  { id }: ContainerFacts,
  mark: string,
  { command }: RunSpec,
): Promise<ShellExec> {
  const env = [`${shellVariable}=${mark}`];
  try {
    const exec = await startShellExec(docker, id, { command: shellOf(command), env, terminal: null });
    exec.stream.on('error', () => {}); // `passOn` throws this error; a late one must not end the runner
    exec.stream.end(); // the command gets no input
    return exec;
  } catch (error) {
    throw startFailure(error);
  }
}

/** Returns when the command has ended; ends it when its time is over or the job is stopped. */
async function followToEnd(
  exec: ShellExec,
  marked: Marked,
  log: JobContext['log'],
  either: AbortSignal,
): Promise<void> {
  const over = new AbortController();
  let ended = Promise.resolve(0);
  const end = () => {
    ended = endProcesses(systemClock, marked, ending);
  };
  either.addEventListener('abort', end, { once: true });
  if (either.aborted) end();
  const watched = closeOutputAfter(exec, over.signal);
  try {
    await passOn(exec, log).catch(() => undefined);
    await ended;
    // The command may have closed its output itself. It has not ended yet.
    while (!either.aborted && exec.pid !== 0 && (await isRunning(exec.pid)))
      await pause(systemClock, lookMs, either);
  } finally {
    over.abort();
    either.removeEventListener('abort', end);
    await Promise.all([watched, ended]);
  }
}

async function passOn({ stream }: ShellExec, log: JobContext['log']): Promise<void> {
  const frames = new ExecFrames();
  for await (const chunk of stream as AsyncIterable<Buffer>)
    for (const { isErrors, bytes } of frames.split(chunk)) log.write(isErrors ? 'stderr' : 'stdout', bytes);
}

/** Ends the output once the command has ended, although a background process still has it open. */
async function closeOutputAfter({ pid, stream }: ShellExec, over: AbortSignal): Promise<void> {
  while (!over.aborted && pid !== 0) {
    await pause(systemClock, lookMs, over);
    if (over.aborted || (await isRunning(pid))) continue;
    await pause(systemClock, drainMs, over);
    stream.destroy();
    return;
  }
}

async function resultOf(
  docker: DockerHost,
  container: ContainerFacts,
  exec: ShellExec,
  begunAt: number,
): Promise<JobResult> {
  const exitCode = await exec.exitCode().catch(() => null);
  if (exitCode === 0) return { outcome: 'succeeded', facts: { exitCode } };
  if (exitCode === null || exitCode === killedCode) {
    const why = await whyContainerEnded(docker, container);
    if (why !== undefined) throw new JobFailure('run_failed', `${why} ${remains}`);
  }
  if (exitCode === null) throw new JobFailure('docker_unavailable', `${notKnown} ${remains}`);
  const isShort = exitCode === killedCode && (await ranOutOfMemory(docker, container.id, begunAt));
  const limit = container.memoryLimitMb === null ? '' : ` (limit ${container.memoryLimitMb} MB)`;
  const memory = isShort ? ` The container, which it shares with the app, ran out of memory${limit}.` : '';
  const message = `The command ended with exit code ${exitCode}.${memory}`;
  return { outcome: 'failed', code: 'run_failed', message, facts: { exitCode } };
}

const remains = 'Its effects until then remain: check them before you run it again.';
const notKnown = 'Docker does not say how the command ended: it was restarted meanwhile, or does not answer.';

/** @returns a sentence; undefined if the container still runs */
async function whyContainerEnded(docker: DockerHost, before: ContainerFacts): Promise<string | undefined> {
  for (let look = 0; look < endLooks; look++) {
    if (look > 0) await pause(systemClock, lookMs);
    const now = await inspectContainer(docker, before.id).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    if (!now) return `${endedMeanwhile}: a deployment, a restart or a removal has replaced it.`;
    const isSame = now.running && !now.restarting && now.startedAt === before.startedAt;
    if (isSame) continue;
    if (!hasLiveName(now)) return `${endedMeanwhile}: a deployment or a restart has replaced it.`;
    return `${endedMeanwhile}. ${exitSentence(await endOf(docker, now), now.memoryLimitMb)}`;
  }
  return undefined;
}

const endedMeanwhile = 'The container ended while the command ran in it';
