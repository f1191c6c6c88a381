/** Runs the tools that lie in a container beside its server, with their bytes streamed: gigabytes pass, a few of them in memory. */
import type { Duplex, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ContainerTools } from '../engines/container-tools.ts';
import { call, type DockerHost } from './client.ts';
import { ExecOutput } from './exec-output.ts';

const exitPollMs = 20;

/**
 * The first line tells the process, since closing the connection of an exec leaves its process running (Engine API); the program
 * then takes the shell's place and number.
 */
const tellPid = 'echo "$$" >&2; exec "$@"';

/** @throws DockerError; `run` of it throws DockerError and the signal's reason */
export function containerTools(host: DockerHost, containerId: string): ContainerTools {
  const container = host.engine.getContainer(containerId);
  return {
    async run(command, { env = {}, stdin, stdout, signal }) {
      signal.throwIfAborted();
      const exec = await call('prepare a command in the container', () =>
        container.exec({
          Cmd: ['sh', '-c', tellPid, 'sh', ...command],
          Env: Object.entries(env).map(([key, value]) => `${key}=${value}`),
          AttachStdin: stdin !== undefined,
          AttachStdout: true,
          AttachStderr: true,
        }),
      );
      const stream = await call('run a command in the container', () =>
        exec.start({ hijack: true, stdin: stdin !== undefined }),
      );
      const output = new ExecOutput(stdout);
      const kill = () => void killIn(host, containerId, output.pid).catch(() => {});
      signal.addEventListener('abort', kill, { once: true });
      try {
        const sent = stdin ? send(stdin, stream, signal) : Promise.resolve();
        sent.catch(() => {}); // looked at once the output has ended, which may be later
        await output.readFrom(stream);
        await sent;
        signal.throwIfAborted();
        const code = await exitCode(() => exec.inspect());
        return { code, stderr: output.stderr };
      } catch (error) {
        kill();
        signal.throwIfAborted();
        throw error;
      } finally {
        signal.removeEventListener('abort', kill);
        stream.destroy();
      }
    },
  };
}

/** Of a write that nobody reads any more. */
const unread = new Set(['EPIPE', 'ECONNRESET', 'ECANCELED', 'ERR_STREAM_PREMATURE_CLOSE']);

/** A program that ends before it has read everything is no failure of its own: its exit code says. */
async function send(stdin: Readable, stream: Duplex, signal: AbortSignal): Promise<void> {
  await pipeline(stdin, stream, { signal, end: true }).catch((error: NodeJS.ErrnoException) => {
    if (!unread.has(error.code ?? '')) throw error;
  });
}

async function killIn(host: DockerHost, containerId: string, pid: string | undefined): Promise<void> {
  if (pid === undefined) return;
  const container = host.engine.getContainer(containerId);
  const exec = await call('stop a command in the container', () =>
    container.exec({ Cmd: ['sh', '-c', 'kill -KILL "$1"', 'sh', pid] }),
  );
  await call('stop a command in the container', () => exec.start({ Detach: true }));
}

/** The daemon knows the end a moment after the stream has closed. */
async function exitCode(
  inspect: () => Promise<{ Running: boolean; ExitCode: number | null }>,
): Promise<number> {
  for (;;) {
    const { Running, ExitCode } = await call('look at a command in the container', inspect);
    if (!Running && ExitCode !== null) return ExitCode;
    await new Promise((resolve) => setTimeout(resolve, exitPollMs));
  }
}
