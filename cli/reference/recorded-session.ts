/** The examples of the reference: each command as it ran in a session with a real instance (test/e2e/command-line/examples.soak.test.ts). */
import { readFile, writeFile } from 'node:fs/promises';

/** The input and the output of a command. */
export interface Example {
  /** The command line, for a shell. */
  line: string;
  /** stdout and stderr, as a terminal shows them; ids, addresses and times are replaced, and long output is shortened. */
  output: string;
  /** Duration, rounded to a tenth. */
  seconds: number;
  exitCode: number;
}

/** Key: the name of the command, without `longshore`. */
export type Examples = Record<string, Example>;

const file = new URL('recorded-session.json', import.meta.url);

export const readExamples = async (): Promise<Examples> => JSON.parse(await readFile(file, 'utf8'));

/** Replaces the examples of these commands. */
export async function writeExamples(examples: Examples): Promise<void> {
  const all = Object.entries({ ...(await readExamples()), ...examples }).sort(([a], [b]) => (a < b ? -1 : 1));
  await writeFile(file, `${JSON.stringify(Object.fromEntries(all), null, 2)}\n`);
}
