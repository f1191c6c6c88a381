/** A command in a running container with input from a person. */
import type { Duplex } from 'node:stream';
import type { TerminalSize } from '../../../protocol/shells/shell.ts';
import { call, type DockerHost } from '../client.ts';

const exitPollMs = 50;
/** The time limit after the end of the output; Docker notices the exit a moment later. */
const exitLimitMs = 5_000;

/** bash if the container has it, because it edits lines; otherwise sh. */
export const defaultShell = ['sh', '-c', 'command -v bash >/dev/null 2>&1 && exec bash; exec sh'];

/** A user's line, for the shell of the container. */
export const shellOf = (line: string): string[] => ['/bin/sh', '-c', line];

export interface ShellExec {
  /** Writes are the command's input, `end` ends it. Reads return bytes with a terminal, and otherwise frames of output and errors. */
  stream: Duplex;
  /** The process id on the host; 0 if the command has ended or could not start. */
  pid: number;
  resize(size: TerminalSize): Promise<void>;
  /** Call this after the stream has ended. `null` if Docker does not report the code. */
  exitCode(): Promise<number | null>;
}

/** Docker's own keys, Ctrl-P Ctrl-Q, would hold back each Ctrl-P and end the output. These keys are never typed. */
const noDetachKeys = 'ctrl-^,ctrl-@,ctrl-^,ctrl-@,ctrl-^';

/** @throws DockerError */
export async function startShellExec(
  { engine }: DockerHost,
  containerId: string,
  asked: { command: readonly string[]; env: readonly string[]; terminal: TerminalSize | null },
): Promise<ShellExec> {
  const { command, env, terminal } = asked;
  const exec = await call('prepare a shell in the container', () =>
    engine.getContainer(containerId).exec({
      ...{ Cmd: [...command], Env: [...env], Tty: terminal !== null },
      ...{ AttachStdin: true, AttachStdout: true, AttachStderr: true, DetachKeys: noDetachKeys },
    }),
  );
  const stream = await call('start a shell in the container', () =>
    exec.start({ hijack: true, stdin: true, Tty: terminal !== null }),
  );
  const { Pid } = await call('inspect the shell', () => exec.inspect());
  return {
    stream,
    pid: Pid,
    resize: async ({ columns, rows }) => {
      await call('resize the terminal', () => exec.resize({ w: columns, h: rows }));
    },
    async exitCode() {
      for (let waited = 0; waited < exitLimitMs; waited += exitPollMs) {
        const { Running, ExitCode } = await call('inspect the shell', () => exec.inspect());
        if (!Running && ExitCode !== null) return ExitCode;
        await new Promise((resolve) => setTimeout(resolve, exitPollMs));
      }
      return null;
    },
  };
}
