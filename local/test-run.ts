/** `npm test`: sets the machine up and makes the images, while the tests that need neither already run; then runs the other tests. */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { z } from 'zod';
import type { Output } from './output.ts';
import { StartError } from './start-error.ts';

/** The program behind `npm run test:images`, without the language images: the few tests that need those make them. */
const makeImages = ['test/stand-ins/main.ts', '--engines'];
const fastProjects = ['workers', 'node', 'processes'];
const hostProjects = ['docker', 'e2e'];

/** The fields of vitest's JSON report that are used here. */
const reportSchema = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numPendingTests: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string(),
      assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })),
    }),
  ),
});
type Report = z.infer<typeof reportSchema>;

/**
 * @param args are passed to vitest: file filters, `-t`.
 * @returns the exit code: 1 when a test or the set-up failed.
 */
export async function runTests(projectRoot: string, args: string[], output: Output): Promise<number> {
  const settingUp = exitCode(makeImages, projectRoot);
  const fast = await runVitest(projectRoot, fastProjects, args);
  if ((await settingUp) !== 0) {
    const sentence = 'The machine could not be set up for tests with Docker; they did not run. The reason:';
    output.fail(new StartError('image_failed', sentence, { command: 'npm run test:images' }));
    say(output, projectRoot, [fast]);
    return 1;
  }
  const host = await runVitest(projectRoot, hostProjects, args);
  say(output, projectRoot, [fast, host]);
  return fast.code === 0 && host.code === 0 ? 0 : 1;
}

interface Run {
  code: number;
  report: Report | undefined;
}

async function runVitest(projectRoot: string, projects: string[], args: string[]): Promise<Run> {
  const scratch = await mkdtemp(join(tmpdir(), 'longshore-test-'));
  try {
    const report = join(scratch, 'report.json');
    const flags = [
      '--passWithNoTests',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
    ];
    const vitest = join(projectRoot, 'node_modules/vitest/vitest.mjs');
    const chosen = projects.flatMap((project) => ['--project', project]);
    const code = await exitCode([vitest, 'run', ...chosen, ...flags, ...args], projectRoot);
    const text = await readFile(report, 'utf8').catch(() => 'null');
    return { code, report: reportSchema.nullable().parse(JSON.parse(text)) ?? undefined };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function exitCode(args: string[], cwd: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'] });
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

/** Prints the failed tests by name, and a machine-readable last line. A run without a report counts as one failure. */
function say(output: Output, projectRoot: string, runs: Run[]): void {
  for (const { report } of runs) {
    for (const failure of failures(report)) output.print(`FAILED ${relative(projectRoot, failure)}`);
  }
  const sum = (read: (report: Report) => number, missing: number) =>
    runs.reduce((total, { report }) => total + (report === undefined ? missing : read(report)), 0);
  const passed = sum((report) => report.numPassedTests, 0);
  const failed = sum((report) => report.numFailedTests, 1);
  const skipped = sum((report) => report.numPendingTests, 0);
  output.print(`${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`);
}

/** Each failed test with its file; only the file, and why, when none of its tests ran. */
function failures(report: Report | undefined): string[] {
  return (report?.testResults ?? []).flatMap(({ name, status, message, assertionResults }) => {
    const tests = assertionResults.filter((test) => test.status === 'failed');
    if (tests.length > 0) return tests.map(({ fullName }) => `${name}: ${fullName}`);
    return status === 'failed' ? [`${name}: ${message}`] : [];
  });
}
