/** Image builds through the Docker API: BuildKit, or the classic builder where the daemon has no other. */
import type { Duplex, Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { JobFailure, type JobLog } from '../jobs/job.ts';
import { type BuildEvent, BuildOutput } from './build-output.ts';
import { call, type DockerHost } from './client.ts';
import { DockerError, diskFull, saysDiskFull } from './docker-error.ts';
import { Docker } from './dockerode.ts';
import { streamedJson } from './streamed-json.ts';

export type Builder = 'buildkit' | 'classic';

export interface BuildRequest {
  /** A fresh tar stream of the context; called once per try. */
  context: (builder: Builder) => Readable;
  /** Path in the context. */
  dockerfile: string;
  /** Name of the finished image; given by the daemon only when the build succeeded. */
  tag: string;
  labels: Record<string, string>;
  /** Values of the Dockerfile's ARGs. */
  buildArguments?: (builder: Builder) => Record<string, string>;
}

/** The job's deadline ends a build first; this one is the last resort. */
const buildTimeoutMs = 60 * 60_000;
/** A build may be silent for minutes, a daemon may not: it is asked beside the build. */
const daemonCheckMs = 15_000;

/**
 * Builds an image and returns its id. Lines go to the log as they are printed.
 * Aborting the signal closes the connection to the daemon, which kills the running step within half a second (20.10.24).
 * @param builders tried in this order; the next one only when the daemon does not know the one before
 * @throws JobFailure `build_failed` with the failed step; DockerError
 */
export async function buildImage(
  host: DockerHost,
  request: BuildRequest,
  log: JobLog,
  signal: AbortSignal,
  builders: readonly Builder[] = ['buildkit', 'classic'],
): Promise<string> {
  for (const [index, builder] of builders.entries()) {
    const output = new BuildOutput(log);
    try {
      await call(
        'build the image',
        (abortSignal) =>
          whileDaemonAnswers(host, abortSignal, (stop) => runBuild(host, request, builder, output, stop)),
        { signal, timeoutMs: buildTimeoutMs },
      );
    } catch (error) {
      const next = builders[index + 1];
      if (next === undefined || output.begun || !isUnknownBuilder(error)) throw error;
      log.line('system', `Docker offers no BuildKit; using its ${next} builder.`);
      continue;
    } finally {
      output.end();
    }
    return finishedImage(output);
  }
  throw new JobFailure('internal', 'No builder was tried.');
}

/** @throws DockerError `docker_unavailable` when the daemon hangs */
async function whileDaemonAnswers<T>(
  host: DockerHost,
  signal: AbortSignal,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ended = new AbortController();
  const hung = new AbortController();
  const watch = async () => {
    for (;;) {
      await delay(daemonCheckMs, undefined, { signal: ended.signal });
      await call('answer a ping', () => host.engine.ping());
    }
  };
  const { promise: silent, reject } = Promise.withResolvers<never>();
  watch().catch((error: unknown) => {
    if (ended.signal.aborted) return;
    hung.abort(error);
    reject(error);
  });
  try {
    return await Promise.race([run(AbortSignal.any([signal, hung.signal])), silent]);
  } finally {
    ended.abort();
  }
}

async function runBuild(
  host: DockerHost,
  request: BuildRequest,
  builder: Builder,
  output: BuildOutput,
  abortSignal: AbortSignal,
): Promise<void> {
  const { engine, closeSession } = engineWithSession(host);
  const context = request.context(builder);
  try {
    const stream = await engine.buildImage(context, {
      t: request.tag,
      dockerfile: request.dockerfile,
      labels: request.labels,
      buildargs: request.buildArguments?.(builder) ?? {},
      rm: true,
      forcerm: true, // the classic builder's step containers, failed ones too
      ...(builder === 'buildkit' ? { version: '2' as const } : {}),
      abortSignal,
    });
    for await (const event of streamedJson<BuildEvent>(stream, abortSignal)) output.accept(event);
  } finally {
    context.destroy();
    closeSession();
  }
}

/**
 * A client of its own for one build. dockerode opens a session beside a BuildKit build (for registry credentials) and
 * closes it only when the build's stream ends by itself; after an abort we have to.
 */
function engineWithSession(host: DockerHost): { engine: Docker; closeSession: () => void } {
  const engine = new Docker();
  engine.modem = Object.create(host.engine.modem);
  const sockets: Duplex[] = [];
  const dial = host.engine.modem.dial.bind(host.engine.modem);
  engine.modem.dial = (options: { path: string }, callback: (error: unknown, data: unknown) => void) =>
    dial(options, (error: unknown, data: unknown) => {
      if (options.path === '/session' && data) sockets.push(data as Duplex);
      callback(error, data);
    });
  const closeSession = () => {
    for (const socket of sockets) socket.destroy();
  };
  return { engine, closeSession };
}

function finishedImage(output: BuildOutput): string {
  if (output.error !== undefined) {
    if (saysDiskFull(output.error)) throw diskFull(output.error);
    throw new JobFailure('build_failed', buildSentence(output.error), { cause: output.error });
  }
  if (!output.imageId) throw new JobFailure('build_failed', 'The build ended without an image.');
  return output.imageId;
}

/** "executor failed running [/bin/sh -c npm ci]: exit code: 1" and its classic twin, as one sentence. */
function buildSentence(error: string): string {
  const command =
    /executor failed running \[(?:\/bin\/sh -c )?(?<command>.*)\]: exit code: (?<code>\d+)/s.exec(error) ??
    /process "(?:\/bin\/sh -c )?(?<command>.*)" did not complete successfully: exit code: (?<code>\d+)/s.exec(
      error,
    ) ??
    /The command '(?:\/bin\/sh -c )?(?<command>.*)' returned a non-zero code: (?<code>\d+)/s.exec(error);
  if (command?.groups)
    return `The build step "${command.groups.command}" failed with exit code ${command.groups.code}.`;
  return `The build failed: ${error.trim()}`;
}

/** The daemon refuses the session or the version before it has printed anything. */
function isUnknownBuilder(error: unknown): boolean {
  return (
    error instanceof DockerError &&
    /buildkit|\/session|version.*not supported|page not found/i.test(error.detail)
  );
}
