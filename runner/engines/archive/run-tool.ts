import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ToolRun } from '../container-tools.ts';
import { EngineError } from '../engine-error.ts';
import type { DataPlace } from './archive.ts';

/** Runs a tool that prints little. @throws EngineError with its last words when it fails */
export async function runTool(
  { tools, signal }: Pick<DataPlace, 'tools' | 'signal'>,
  command: readonly [string, ...string[]],
  options: Omit<ToolRun, 'stdout' | 'signal'> = {},
): Promise<string> {
  const stdout = new PassThrough();
  const printing = text(stdout);
  printing.catch(() => {}); // told by the run
  const { code, stderr } = await tools
    .run(command, { ...options, stdout, signal })
    .catch((error: unknown) => {
      stdout.destroy();
      throw error;
    });
  const printed = await printing;
  if (code === 0) return printed;
  throw new EngineError(
    'unavailable',
    `${command[0]} ended with exit code ${code}: ${stderr || lastLines(printed) || 'it said nothing.'}`,
  );
}

/** Some tools say on standard output what is wrong. */
const lastLines = (printed: string) => printed.trim().split('\n').slice(-5).join(' ').slice(-1_000);
