import { Writable } from 'node:stream';
import type { ToolRun } from '../container-tools.ts';
import { EngineError } from '../engine-error.ts';
import type { DataPlace } from './archive.ts';

type Place = Pick<DataPlace, 'tools' | 'signal'>;
type Command = readonly [string, ...string[]];
type Options = Omit<ToolRun, 'stdout' | 'signal'>;

/** The limit of output that is read. Even a table of contents with a hundred thousand objects is smaller. */
const printedBytesMax = 64 * 1024 * 1024;
/** The limit of lines and columns that are read: each becomes a string, which takes more memory than it has bytes. */
const fieldsMax = 2_000_000;

/**
 * Runs a tool that prints little. The image is the user's choice, so its tool may print without limit.
 * @throws EngineError with its last output when it fails
 */
export async function runTool(place: Place, command: Command, options: Options = {}): Promise<string> {
  const { code, stderr, printed } = await toolWords(place, command, options);
  if (code === 0) return printed;
  throw new EngineError(
    'unavailable',
    `${command[0]} ended with exit code ${code}: ${failureText({ code, stderr: stderr || lastLines(printed) })}`,
  );
}

/**
 * The reason why a tool failed, in its own words. A tool that is killed with its container prints nothing, or stops in the middle of its
 * message.
 * @param ended the tool's exit code, and the end of its error output
 */
export function failureText({ code, stderr }: { code: number; stderr: string }): string {
  const hasWords = /\s/.test(stderr.trim());
  if (hasWords && code !== killedCode) return stderr;
  const printed = hasWords ? ` It had printed: ${stderr}` : '';
  return `it ended without a message (exit code ${code}), as when the database is stopped or its memory is full.${printed}`;
}

/** The exit code of a process that was killed: 128 and the number of SIGKILL. */
const killedCode = 137;

/** {@link runTool} for a caller that explains the failure itself. */
export async function toolWords(
  { tools, signal }: Place,
  command: Command,
  options: Options = {},
): Promise<{ code: number; stderr: string; printed: string }> {
  const printed: Buffer[] = [];
  let bytes = 0;
  let fields = 0;
  const stdout = new Writable({
    write(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      for (const byte of chunk) if (byte === lineBreak || byte === tab) fields++;
      if (bytes > printedBytesMax) return done(tooMuch(command, `${printedBytesMax / 2 ** 20} MB`));
      if (fields > fieldsMax)
        return done(tooMuch(command, `${fieldsMax.toLocaleString('en-GB')} lines or columns`));
      printed.push(chunk);
      done();
    },
  });
  stdout.on('error', () => {}); // the tool's run reports the error
  const ended = await tools.run(command, { ...options, stdout, signal });
  return { ...ended, printed: Buffer.concat(printed).toString() };
}

const [lineBreak, tab] = [10, 9];

const tooMuch = ([tool]: Command, limit: string) =>
  new EngineError('unavailable', `${tool} was stopped: it printed more than ${limit}.`);

/** Some tools print their errors on standard output. */
const lastLines = (printed: string) => printed.trim().split('\n').slice(-5).join(' ').slice(-1_000);
