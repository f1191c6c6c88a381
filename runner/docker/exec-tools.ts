/** Runs tools inside a container next to its server and streams their bytes: gigabytes pass through with little memory. */
import { type Duplex, Readable } from 'node:stream';
import type { ContainerTools } from '../engines/container-tools.ts';
import { call, type DockerHost } from './client.ts';
import { ExecOutput } from './exec-output.ts';

const exitPollMs = 20;

/**
 * The first line of stderr is the process id, because closing the connection of an exec leaves its process running (Engine API); the
 * program then replaces the shell and keeps its process id.
 */
const printPid = 'echo "$$" >&2; exec "$@"';
/** The same, with its first argument, a file, as standard input. */
const printPidAndRead = 'echo "$$" >&2; file="$1"; shift; exec "$@" <"$file"';

/** The time limit for the program's process id before the program counts as unstoppable. */
const firstLineMs = 10_000;

/** @throws DockerError; its `run` throws DockerError and the signal's reason */
export function execTools(host: DockerHost, containerId: string): ContainerTools {
  const container = host.engine.getContainer(containerId);
  return {
    async run(command, { env = {}, stdin, stdinFile, stdout, signal }) {
      signal.throwIfAborted();
      const exec = await call('prepare a command in the container', () =>
        container.exec({
          Cmd:
            stdinFile === undefined
              ? ['sh', '-c', printPid, 'sh', ...command]
              : ['sh', '-c', printPidAndRead, 'sh', stdinFile, ...command],
          Env: Object.entries(env).map(([key, value]) => `${key}=${value}`),
          AttachStdin: stdin !== undefined,
          AttachStdout: true,
          AttachStderr: true,
        }),
      );
      const stream = await call('run a command in the container', () =>
        exec.start({ hijack: true, stdin: stdin !== undefined }),
      );
      const output = new ExecOutput(stdout, () => signal.aborted && stop());
      const kill = () => void killIn(host, containerId, output.pid).catch(() => {});
      const stop = () => {
        // There is no process id to kill yet: once it arrives, `ExecOutput` calls `stop` again.
        if (output.pid === undefined) return void setTimeout(() => stream.destroy(), firstLineMs).unref();
        kill();
        if (stdin) stream.destroy();
      };
      signal.addEventListener('abort', stop, { once: true });
      try {
        const sent = stdin ? send(stdin, stream) : Promise.resolve();
        sent.catch(() => {}); // awaited once the output has ended, possibly later
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
        signal.removeEventListener('abort', stop);
        stream.destroy();
      }
    },
  };
}

/** Error codes of a write whose reader is gone. */
const unread = new Set([
  'EPIPE',
  'ECONNRESET',
  'ECANCELED',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
]);

/**
 * A program that exits before it has read all its input has not failed because of that: its exit code decides.
 * @throws the error of the source, after which the command's output ends, too
 */
async function send(stdin: AsyncIterable<Uint8Array>, stream: Duplex): Promise<void> {
  // Once the stream is closed, do not wait for a source that is idle.
  const stop = () => void (stdin instanceof Readable && stdin.destroy());
  stream.once('close', stop);
  try {
    for await (const piece of stdin) await written(stream, piece);
    stream.end();
  } catch (error) {
    if (unread.has((error as NodeJS.ErrnoException).code ?? '')) return;
    stream.destroy(error as Error);
    throw error;
  } finally {
    stream.off('close', stop);
  }
}

/** Waits until the kernel has the piece, so that its memory can be reused. */
function written(stream: Duplex, piece: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(piece, (error) => (error ? reject(error) : resolve()));
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

/** The daemon knows the exit code a moment after the stream has closed. */
async function exitCode(
  inspect: () => Promise<{ Running: boolean; ExitCode: number | null }>,
): Promise<number> {
  for (;;) {
    const { Running, ExitCode } = await call('inspect a command in the container', inspect);
    if (!Running && ExitCode !== null) return ExitCode;
    await new Promise((resolve) => setTimeout(resolve, exitPollMs));
  }
}
