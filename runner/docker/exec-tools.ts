/** Runs the tools that lie in a container beside its server, with their bytes streamed: gigabytes pass, a few of them in memory. */
import { type Duplex, Readable } from 'node:stream';
import type { ContainerTools } from '../engines/container-tools.ts';
import { call, type DockerHost } from './client.ts';
import { ExecOutput } from './exec-output.ts';

const exitPollMs = 20;

/**
 * The first line tells the process, since closing the connection of an exec leaves its process running (Engine API); the program
 * then takes the shell's place and number.
 */
const tellPid = 'echo "$$" >&2; exec "$@"';
/** The same with its first argument, a file, as standard input. */
const tellPidAndRead = 'echo "$$" >&2; file="$1"; shift; exec "$@" <"$file"';

/** A program that is to be stopped tells its number in this time, or nobody waits for it any more. */
const firstLineMs = 10_000;

/** @throws DockerError; `run` of it throws DockerError and the signal's reason */
export function containerTools(host: DockerHost, containerId: string): ContainerTools {
  const container = host.engine.getContainer(containerId);
  return {
    async run(command, { env = {}, stdin, stdinFile, stdout, signal }) {
      signal.throwIfAborted();
      const exec = await call('prepare a command in the container', () =>
        container.exec({
          Cmd:
            stdinFile === undefined
              ? ['sh', '-c', tellPid, 'sh', ...command]
              : ['sh', '-c', tellPidAndRead, 'sh', stdinFile, ...command],
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
        if (output.pid === undefined) return void setTimeout(() => stream.destroy(), firstLineMs).unref(); // that line stops it
        kill();
        if (stdin) stream.destroy();
      };
      signal.addEventListener('abort', stop, { once: true });
      try {
        const sent = stdin ? send(stdin, stream) : Promise.resolve();
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
        signal.removeEventListener('abort', stop);
        stream.destroy();
      }
    },
  };
}

/** Of a write that nobody reads any more. */
const unread = new Set([
  'EPIPE',
  'ECONNRESET',
  'ECANCELED',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
]);

/**
 * A program that ends before it has read everything is no failure of its own: its exit code says.
 * @throws what went wrong with the source; the command's output ends then, too
 */
async function send(stdin: AsyncIterable<Uint8Array>, stream: Duplex): Promise<void> {
  // A source that has no more to say for now is not waited for when nobody listens any more.
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

/** Waits until the piece is the kernel's: its memory may be used again. */
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

/** The daemon knows the end a moment after the stream has closed. */
async function exitCode(
  inspect: () => Promise<{ Running: boolean; ExitCode: number | null }>,
): Promise<number> {
  for (;;) {
    const { Running, ExitCode } = await call('inspect a command in the container', inspect);
    if (!Running && ExitCode !== null) return ExitCode;
    await new Promise((resolve) => setTimeout(resolve, exitPollMs));
  }
}
