import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ToolRun } from '../container-tools.ts';
import { EngineError } from '../engine-error.ts';
import type { DataPlace } from './archive.ts';

type Place = Pick<DataPlace, 'tools' | 'signal'>;
type Command = readonly [string, ...string[]];
type Options = Omit<ToolRun, 'stdout' | 'signal'>;

/** Runs a tool that prints little. @throws EngineError with its last words when it fails */
export async function runTool(place: Place, command: Command, options: Options = {}): Promise<string> {
  const { code, stderr, printed } = await toolWords(place, command, options);
  if (code === 0) return printed;
  throw new EngineError(
    'unavailable',
    `${command[0]} ended with exit code ${code}: ${stderr || lastLines(printed) || 'it said nothing.'}`,
  );
}

/** The same for a tool whose failure its caller can tell better. */
export async function toolWords(
  { tools, signal }: Place,
  command: Command,
  options: Options = {},
): Promise<{ code: number; stderr: string; printed: string }> {
  const stdout = new PassThrough();
  const printing = text(stdout);
  printing.catch(() => {}); // told by the run
  const ended = await tools.run(command, { ...options, stdout, signal }).catch((error: unknown) => {
    stdout.destroy();
    throw error;
  });
  return { ...ended, printed: await printing };
}

/** Some tools say on standard output what is wrong. */
const lastLines = (printed: string) => printed.trim().split('\n').slice(-5).join(' ').slice(-1_000);
