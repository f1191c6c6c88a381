import { Writable } from 'node:stream';
import type { ToolRun } from '../container-tools.ts';
import { EngineError } from '../engine-error.ts';
import type { DataPlace } from './archive.ts';

type Place = Pick<DataPlace, 'tools' | 'signal'>;
type Command = readonly [string, ...string[]];
type Options = Omit<ToolRun, 'stdout' | 'signal'>;

/** The output that is read at most. Even a table of contents with a hundred thousand objects is smaller. */
const printedBytesMax = 64 * 1024 * 1024;

/**
 * Runs a tool that prints little. The image comes from the user, so its tool may print without limit.
 * @throws EngineError with its last output when it fails
 */
export async function runTool(place: Place, command: Command, options: Options = {}): Promise<string> {
  const { code, stderr, printed } = await toolWords(place, command, options);
  if (code === 0) return printed;
  throw new EngineError(
    'unavailable',
    `${command[0]} ended with exit code ${code}: ${stderr || lastLines(printed) || 'it printed nothing.'}`,
  );
}

/** The same, for a caller that explains the failure itself. */
export async function toolWords(
  { tools, signal }: Place,
  command: Command,
  options: Options = {},
): Promise<{ code: number; stderr: string; printed: string }> {
  const printed: Buffer[] = [];
  let bytes = 0;
  const stdout = new Writable({
    write(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > printedBytesMax) return done(tooMuch(command));
      printed.push(chunk);
      done();
    },
  });
  stdout.on('error', () => {}); // the tool's run reports the error
  const ended = await tools.run(command, { ...options, stdout, signal });
  return { ...ended, printed: Buffer.concat(printed).toString() };
}

const tooMuch = ([tool]: Command) =>
  new EngineError(
    'unavailable',
    `${tool} was stopped: it printed more than ${printedBytesMax / 2 ** 20} MB.`,
  );

/** Some tools print their errors on standard output. */
const lastLines = (printed: string) => printed.trim().split('\n').slice(-5).join(' ').slice(-1_000);
