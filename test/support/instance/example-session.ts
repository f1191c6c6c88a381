/** Runs the examples of the command line's reference in a shell, and compares their output with the reference. */
import { spawn } from 'node:child_process';
import { expect } from 'vitest';
import {
  type Example,
  type Examples,
  readExamples,
  writeExamples,
} from '../../../cli/reference/recorded-session.ts';

/** Set by `npm run cli:examples`: the examples are recorded again. */
const records = process.env.LONGSHORE_RECORD === '1';

/** Number of lines of output that the reference shows. */
const headLines = 4;
const tailLines = 4;

/** Parts that differ between sessions, and their replacements. */
const replacements: [RegExp, string][] = [
  [/\blsk_[a-z0-9]{8}(_\w+)?/g, 'lsk_a1b2c3d4'],
  [/\blse_[\w-]+/g, 'lse_TOKEN'],
  // Of the same length, so that the columns of tables stay aligned.
  [/\b([a-z]{3})_[a-z0-9]{16}\b/g, '$1_7u6y5t4r3e2w1q0p'],
  [/\bsha256:[0-9a-f]{12,}/g, 'sha256:7d8e9f'],
  [/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '7d8e9f0a-1b2c-4d3e-8f4a-5b6c7d8e9f0a'],
  [/\/\/(\w+):[^@\s/]{8,}@/g, '//$1:PASSWORD@'],
  [/\/tmp\/[\w-]+/g, '/home/you'],
  [/127\.0\.0\.1:\d{4,5}/g, '127.0.0.1:8787'],
  [/localhost:\d{4,5}/g, 'localhost:8080'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '2026-11-24T10:00:00.000Z'],
  [/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, '2026-11-24 10:00:00'],
  [/\d{4}-\d\d-\d\d \d\d:\d\d(?!:)/g, '2026-11-24 10:00'],
];

/** Runs the line in bash. @returns its entry for the reference */
export async function runExample(
  line: string,
  { cwd, env }: { cwd: string; env: Record<string, string> },
): Promise<Example & { whole: string }> {
  const from = performance.now();
  const child = spawn('bash', ['-c', `longshore() { "$NODE" "$PROGRAM" "$@"; }\nexec 2>&1\n${line}`], {
    cwd,
    env,
  });
  let whole = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      whole += text;
    });
  child.stdin.end();
  const exitCode = await new Promise<number>((resolve) => child.on('close', (code) => resolve(code ?? 1)));
  const seconds = Math.round((performance.now() - from) / 100) / 10;
  return { line, output: shownOf(whole), seconds, exitCode, whole };
}

/** The output without parts that differ between sessions, and shortened in the middle if it is long. */
function shownOf(whole: string): string {
  const replaced = replacements.reduce((text, [pattern, by]) => text.replaceAll(pattern, by), whole);
  const isPlace = (line: string) =>
    /^(Pulling|Packing|Reading|Downloading|Uploading) |registry cannot be reached|\[#* *\]/.test(line);
  const lines = replaced
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line, at, all) => line !== '' && line !== all[at - 1] && !isPlace(line));
  if (lines.length <= headLines + tailLines + 1) return lines.join('\n');
  return [...lines.slice(0, headLines), '...', ...lines.slice(-tailLines)].join('\n');
}

/** Keeps words and removes figures: sizes, ports and durations differ between machines. */
const shapeOf = (output: string) =>
  output
    .replaceAll(/\d+([.,]\d+)*( ([KMG]iB|B|kB|MB|GB|ms|s|minutes?|hours?)\b)?/g, '0')
    .replaceAll(/[▁-█]/g, '')
    .replaceAll(/[ ─-]+/g, ' ')
    .trim();

/** Records the examples, or checks that the reference shows the output of these commands. */
export async function keepOrCompare(examples: Examples): Promise<void> {
  if (records) return writeExamples(examples);
  const known = await readExamples();
  for (const [name, { line, output, exitCode }] of Object.entries(examples))
    expect(
      { line: known[name]?.line, exitCode: known[name]?.exitCode, shape: shapeOf(known[name]?.output ?? '') },
      `${name}: npm run cli:examples records it again`,
    ).toEqual({ line, exitCode, shape: shapeOf(output) });
}
