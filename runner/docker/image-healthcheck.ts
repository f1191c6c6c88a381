/**
 * Runs the HEALTHCHECK of an image right away. Docker itself runs it for the first time after a whole interval (30 s unless the image sets
 * another one), and a new version should not wait that long.
 */
import { z } from 'zod';
import { call, type DockerHost } from './client.ts';
import { framesOf } from './container-log.ts';

/** Docker's own default (Dockerfile reference, HEALTHCHECK --timeout). */
const defaultTimeoutMs = 30_000;
/** The shell of an image whose Dockerfile has no SHELL. */
const imageShell = '/bin/sh';
const nanosecondsPerMs = 1e6;
/** Limit of the check's output in messages. */
const outputCharsMax = 300;

export interface ImageHealthcheck {
  /** Command line of a program in the container. */
  command: string[];
  timeoutMs: number;
}

const configSchema = z.object({
  Healthcheck: z.object({ Test: z.array(z.string()).nullish(), Timeout: z.number().nullish() }).nullish(),
  Shell: z.array(z.string()).nullish(),
});

/** @returns `undefined` for an image without a HEALTHCHECK, or with `HEALTHCHECK NONE` */
export async function imageHealthcheck(host: DockerHost, id: string): Promise<ImageHealthcheck | undefined> {
  const { Config } = await call('inspect the container', () => host.engine.getContainer(id).inspect());
  const { Healthcheck, Shell } = configSchema.parse(Config);
  const [kind, ...words] = Healthcheck?.Test ?? [];
  const timeoutMs = Healthcheck?.Timeout
    ? Math.ceil(Healthcheck.Timeout / nanosecondsPerMs)
    : defaultTimeoutMs;
  if (kind === 'CMD') return { command: words, timeoutMs };
  // Runs in the container, with its limits and its user: no shell runs on the host.
  if (kind === 'CMD-SHELL') return { command: [...(Shell ?? [imageShell, '-c']), ...words], timeoutMs };
  return undefined;
}

/**
 * Runs the check once in the container.
 * @returns `undefined` if it succeeded, or else its result and output
 * @throws DockerError, `docker_unavailable` also when the check exceeds its time limit; the signal's reason
 */
export async function runHealthcheck(
  host: DockerHost,
  id: string,
  { command, timeoutMs }: ImageHealthcheck,
  signal: AbortSignal,
): Promise<string | undefined> {
  return await call(
    'run the HEALTHCHECK of the image',
    async (abortSignal) => {
      const exec = await host.engine
        .getContainer(id)
        .exec({ Cmd: command, AttachStdout: true, AttachStderr: true, abortSignal });
      const stream = await exec.start({ abortSignal });
      const chunks: Buffer[] = [];
      for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
      const { ExitCode } = await exec.inspect({ abortSignal });
      if (ExitCode === 0) return undefined;
      const output = Buffer.concat(framesOf(Buffer.concat(chunks)).map(({ bytes }) => bytes)).toString(
        'utf8',
      );
      const words = output.trim().slice(-outputCharsMax);
      return `it ended with exit code ${ExitCode}${words ? ` and printed: ${words}` : ''}`;
    },
    { signal, timeoutMs },
  );
}
