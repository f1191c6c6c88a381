/** Image builds through the Docker API: BuildKit, or the classic builder if the daemon has only that. */
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { withEveryLabel } from '../../../protocol/names.ts';
import { JobFailure } from '../../base/job-failure.ts';
import type { CappedBuild } from '../../build-caps/build-caps.ts';
import type { JobLog } from '../../job-log/job-log.ts';
import { call, type DockerHost } from '../client.ts';
import { DockerError } from '../docker-error.ts';
import { streamedJson } from '../streamed-json.ts';
import { buildFailure } from './build-failure.ts';
import { type BuildEvent, BuildOutput } from './build-output.ts';
import { type BuildSession, openBuildSession } from './build-session.ts';
import { allBuilders, type Builder } from './builder.ts';

export interface BuildRequest {
  /** A new tar stream of the context; called once per try. */
  context: (builder: Builder) => Readable;
  /** Path in the context. */
  dockerfile: string;
  /** Name of the finished image; the daemon assigns it only when the build succeeded. */
  tag: string;
  labels: Record<string, string>;
  /** Values of the Dockerfile's ARGs. */
  buildArguments?: (builder: Builder) => Record<string, string>;
  /** Values of the secrets that steps may mount, by id. The classic builder has no such mounts. */
  secrets?: ReadonlyMap<string, string>;
  /** A host name added to the hosts file of every step, so that it is part of the layer's cache key. It resolves to 127.0.0.1. */
  scopeHost?: string;
  /** Starts to enforce the build's limits; called once per try. */
  capped?: () => CappedBuild;
}

/** Last resort; the job's deadline usually ends a build first. */
const buildTimeoutMs = 60 * 60_000;
/** A build may be silent for minutes, but the daemon must answer pings during the build. */
const daemonCheckMs = 15_000;

/**
 * Builds an image and returns its id. Lines are logged as they are printed. Aborting the signal closes the connection to the daemon, which
 * kills the running step within half a second (20.10.24).
 * @param builders tried in this order; the next one only if the daemon does not support the previous one
 * @throws JobFailure `build_failed` with the failed step, `build_out_of_memory` with the numbers; DockerError
 */
export async function buildImage(
  host: DockerHost,
  request: BuildRequest,
  log: JobLog,
  signal: AbortSignal,
  builders: readonly Builder[] = allBuilders,
): Promise<string> {
  for (const [index, builder] of builders.entries()) {
    const output = new BuildOutput(log);
    const capped = request.capped?.();
    try {
      await call(
        'build the image',
        (abortSignal) =>
          whileDaemonAnswers(host, abortSignal, (stop) =>
            runBuild(host, request, { builder, output, capped }, stop),
          ),
        { signal, timeoutMs: buildTimeoutMs },
      );
      if (output.error !== undefined) throw buildFailure(output.error, builder, capped);
      if (!output.imageId) throw new JobFailure('build_failed', 'The build ended without an image.');
      return output.imageId;
    } catch (error) {
      const next = builders[index + 1];
      if (next === undefined || output.begun || !isUnknownBuilder(error)) throw error;
      log.line('system', `Docker offers no BuildKit; using its ${next} builder.`);
    } finally {
      output.end();
      capped?.end();
    }
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

interface Try {
  builder: Builder;
  output: BuildOutput;
  capped: CappedBuild | undefined;
}

async function runBuild(
  host: DockerHost,
  request: BuildRequest,
  { builder, output, capped }: Try,
  abortSignal: AbortSignal,
): Promise<void> {
  const session =
    builder === 'buildkit' ? await openBuildSession(host.engine, abortSignal, request.secrets) : undefined;
  const context = request.context(builder);
  const buildArguments = request.buildArguments?.(builder) ?? {};
  try {
    const stream = await host.engine.buildImage(context, {
      t: request.tag,
      dockerfile: request.dockerfile,
      labels: withEveryLabel(request.labels),
      buildargs: builder === 'buildkit' ? marked(buildArguments, capped?.mark) : buildArguments,
      ...(request.scopeHost ? { extrahosts: `${request.scopeHost}:127.0.0.1` } : {}),
      networkmode: 'default', // the default bridge, which the host's firewall rules cover (docs/decisions/0025)
      rm: true,
      forcerm: true, // removes the classic builder's step containers, even failed ones
      ...(session ? inSession(session) : classicLimits(capped)),
      abortSignal,
    });
    for await (const event of streamedJson<BuildEvent>(stream, abortSignal)) output.accept(event);
  } finally {
    context.destroy();
    session?.close();
  }
}

/**
 * Adds the mark to NO_PROXY, a predefined build argument: every step has it in its environment, but no layer has it in its cache key
 * (docs.docker.com, "Predefined ARGs"). There, another host name that does not exist has no effect.
 */
function marked(buildArguments: Record<string, string>, mark: string | null | undefined) {
  if (!mark) return buildArguments;
  const { NO_PROXY: upper, no_proxy: lower, ...others } = buildArguments;
  return { ...others, NO_PROXY: [upper ?? lower, mark].filter(Boolean).join(',') };
}

/** The classic builder's own limits, per step; BuildKit ignores them (20.10.24). */
function classicLimits(capped: CappedBuild | undefined) {
  if (!capped) return {};
  const memory = Math.floor(capped.memoryMb * 2 ** 20);
  return { memory, memswap: memory, cpuperiod: 100_000, cpuquota: Math.round(capped.cpus * 100_000) };
}

/** The number 2: for the text "2" dockerode opens its own session. */
const inSession = ({ id }: BuildSession) => ({ version: 2 as unknown as '2', session: id });

/** The daemon rejects the session or the version before any output. */
function isUnknownBuilder(error: unknown): boolean {
  return (
    error instanceof DockerError &&
    /buildkit|\/session|version.*not supported|page not found/i.test(error.detail)
  );
}
