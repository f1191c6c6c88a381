import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ToolRun } from '../container-tools.ts';
import { EngineError } from '../engine-error.ts';
import type { DataPlace } from './archive.ts';

type Place = Pick<DataPlace, 'tools' | 'signal'>;
type Command = readonly [string, ...string[]];
type Options = Omit<ToolRun, 'stdout' | 'signal'>;

/** Runs a tool that prints little. @throws EngineError with its last output when it fails */
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
  const stdout = new PassThrough();
  const printing = text(stdout);
  printing.catch(() => {}); // The run reports the error.
  const ended = await tools.run(command, { ...options, stdout, signal }).catch((error: unknown) => {
    stdout.destroy();
    throw error;
  });
  return { ...ended, printed: await printing };
}

/** Some tools print their errors on standard output. */
const lastLines = (printed: string) => printed.trim().split('\n').slice(-5).join(' ').slice(-1_000);
