/** Runs a command in the container of a service, connected to this terminal or to pipes. */
import { setTimeout as pause } from 'node:timers/promises';
import { exitCodes, Failure } from '../base/failure.ts';
import type { CommandLine, Session } from '../session.ts';
import type { ShellConnection, ShellOutput } from './connection.ts';
import { EscapeKeys } from './escape-keys.ts';

type Process = CommandLine['process'];

/** The same as in protocol/shells of the control plane: the wait after a short piece, in ms, and the least bytes of a piece that is not short. */
const pieceMs = 20;
const shortBytes = 4 * 1024;

/**
 * Resets modes that programs may have switched on and could not switch off when they were ended: the alternate screen, colours, a hidden cursor,
 * reports of the mouse and of pasted text, application keys (xterm, "Control Sequences").
 */
const sane =
  '\x1b[?1047l\x1b[0m\x1b[?25h\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l\x1b[?1l\x1b>\r\n';

/** @param isNew run in a new container @param command undefined: a shell @returns its exit code @throws Failure, LongshoreError */
export async function runShell(
  { client, context }: Session,
  process: Process,
  {
    serviceId,
    command,
    isNew = false,
  }: { serviceId: string; command: [string, ...string[]] | undefined; isNew?: boolean },
): Promise<number> {
  const isTerminal = Boolean(process.stdin.isTTY && process.stdout.isTTY);
  const { shell, ticket } = await client.call('POST /api/services/:serviceId/shells', {
    params: { serviceId },
    body: {
      ...(isNew ? { container: 'new' as const } : {}),
      ...(command ? { command } : {}),
      ...(isTerminal ? { terminal: { ...sizeOf(process), type: typeOf(process) } } : {}),
    },
  });
  // Loaded only for a shell: most commands need no WebSocket.
  const { ShellConnection } = await import('./connection.ts');
  const connection = await ShellConnection.open({ url: context.url, ...shell, ticket }, outputOf(process));
  return isTerminal ? inTerminal(process, connection) : throughPipes(process, connection);
}

async function inTerminal(process: Process, connection: ShellConnection): Promise<number> {
  const { stdin, stdout } = process;
  const keys = new EscapeKeys();
  const typed = (bytes: Buffer) => {
    const sent = keys.take(bytes);
    if (sent) void connection.input(sent);
    else connection.leave();
  };
  const resized = () => connection.resize(sizeOf(process));
  const leave = () => connection.leave();
  stdin.setRawMode(true);
  stdin.on('data', typed);
  stdin.once('end', leave);
  stdout.on('resize', resized);
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.once(signal, leave);
  try {
    resized();
    return await connection.ended();
  } catch (error) {
    stdout.write(sane);
    throw error;
  } finally {
    for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.off(signal, leave);
    stdout.off('resize', resized);
    stdin.off('end', leave);
    stdin.off('data', typed);
    stdin.setRawMode(false);
    stdin.pause();
  }
}

async function throughPipes(process: Process, connection: ShellConnection): Promise<number> {
  let isInterrupted = false;
  // The first signal is passed to the command, as in a terminal; the second one leaves it.
  const interrupt = () => {
    if (isInterrupted) connection.leave();
    else connection.signal('SIGINT');
    isInterrupted = true;
    process.once('SIGINT', interrupt);
  };
  const leave = () => connection.leave();
  process.once('SIGINT', interrupt);
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.once(signal, leave);
  const feeding = feed(process.stdin, connection);
  try {
    return await connection.ended();
  } catch (error) {
    if (isInterrupted)
      throw new Failure('Interrupted.', { exitCode: exitCodes.interrupted, code: 'interrupted' });
    throw error;
  } finally {
    process.off('SIGINT', interrupt);
    for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.off(signal, leave);
    process.stdin.destroy();
    await feeding;
  }
}

/** Sends stdin to its end, no faster than the command reads. */
async function feed(stdin: NodeJS.ReadStream, connection: ShellConnection): Promise<void> {
  try {
    for await (const bytes of stdin as AsyncIterable<Buffer>) {
      if (!(await connection.input(bytes))) return;
      // Pieces that arrive during the wait are sent in one message: the server ends a shell with endless short messages. No one types that fast.
      if (!stdin.isTTY && bytes.length < shortBytes) await pause(pieceMs);
    }
  } catch {
    // The command ended first, and stdin was closed.
  }
  connection.endInput();
}

const outputOf = ({ stdout, stderr }: Process): ShellOutput => ({
  write: (stream, bytes) =>
    new Promise((written) => void (stream === 'errors' ? stderr : stdout).write(bytes, () => written())),
});

const within = (cells: number | undefined, fallback: number) =>
  Math.min(1000, Math.max(1, cells || fallback));

const sizeOf = ({ stdout }: Process) => ({
  columns: within(stdout.columns, 80),
  rows: within(stdout.rows, 24),
});

const typeOf = ({ env: { TERM = '' } }: Process) =>
  /^[A-Za-z0-9._+-]{1,64}$/.test(TERM) ? TERM : 'xterm-256color';
