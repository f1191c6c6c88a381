/** Runs the tools that lie in a container beside its server, with their bytes streamed: gigabytes pass, a few of them in memory. */
import type { Duplex, Readable, Writable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import type { ContainerTools } from '../engines/container-tools.ts';
import { call, type DockerHost } from './client.ts';

/** Stream number, three zero bytes, length: Engine API, "attach", multiplexed stream. */
const frameHeaderBytes = 8;
/** The last words of a tool that fails; what it says before is progress. */
const stderrBytesMax = 16 * 1024;
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
      const output = new Output(stdout);
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

/** A program that ends before it has read everything is no failure of its own: its exit code says. */
async function send(stdin: Readable, stream: Duplex, signal: AbortSignal): Promise<void> {
  await pipeline(stdin, stream, { signal, end: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET' && error.code !== 'ERR_STREAM_PREMATURE_CLOSE')
      throw error;
  });
}

/** What comes out: dockerode's own splitter of streams never waits for a slow reader. */
class Output {
  readonly #stdout: Writable | undefined;
  #rest: Buffer = Buffer.alloc(0);
  #stderr = '';
  pid: string | undefined;

  constructor(stdout: Writable | undefined) {
    this.#stdout = stdout;
  }

  get stderr(): string {
    return this.#stderr.trim();
  }

  async readFrom(stream: Readable): Promise<void> {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
      this.#rest = bytes.subarray(await this.#takeFrames(bytes));
    }
    if (this.#stdout) {
      this.#stdout.end();
      await finished(this.#stdout, { readable: false });
    }
  }

  /** @returns bytes of whole frames */
  async #takeFrames(bytes: Buffer): Promise<number> {
    let from = 0;
    while (from + frameHeaderBytes <= bytes.length) {
      const end = from + frameHeaderBytes + bytes.readUInt32BE(from + 4);
      if (end > bytes.length) break;
      const part = bytes.subarray(from + frameHeaderBytes, end);
      if (bytes[from] === 2) this.#hear(part.toString('utf8'));
      else if (this.#stdout) await this.#give(this.#stdout, Buffer.from(part));
      from = end;
    }
    return from;
  }

  /** What has failed between two pieces tells nobody again that waits for it. */
  async #give(stdout: Writable, part: Buffer): Promise<void> {
    if (stdout.destroyed) throw stdout.errored ?? new Error('Nobody reads what the tool prints any more.');
    if (!stdout.write(part)) await drained(stdout);
  }

  #hear(text: string): void {
    this.#stderr += text;
    if (this.pid === undefined) {
      const [, pid, rest] = /^(\d+)\n(.*)$/s.exec(this.#stderr) ?? [];
      if (pid === undefined) return;
      this.pid = pid;
      this.#stderr = rest ?? '';
    }
    this.#stderr = this.#stderr.slice(-stderrBytesMax);
  }
}

/** @throws what broke the sink: one that is gone never drains */
async function drained(sink: Writable): Promise<void> {
  if (!sink.destroyed) {
    await new Promise<void>((resolve) => {
      const done = () => {
        sink.off('drain', done).off('close', done);
        resolve();
      };
      sink.on('drain', done).on('close', done);
    });
  }
  if (sink.destroyed) throw sink.errored ?? new Error('Nobody takes what the program writes.');
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
