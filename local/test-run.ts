/** `npm test`: sets the machine up while the tests that need nothing run, then runs the rest. */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { dataDirectory, makeDataDirectory } from './instance/data-directory.ts';
import type { Output } from './output.ts';
import { setUpHost } from './setup/set-up.ts';

/** Caddy is unpacked here once; the tests' own instances have data directories of their own. */
const toolsDirectory = '.longshore';
const fastProjects = ['workers', 'node'];
const hostProjects = ['docker', 'e2e'];

const totalsSchema = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numPendingTests: z.number(),
});
type Totals = z.infer<typeof totalsSchema>;

/**
 * @param args go to vitest: file filters, `-t`.
 * @returns the exit code: 1 when a test or the set-up failed.
 */
export async function runTests(projectRoot: string, args: string[], output: Output): Promise<number> {
  const data = dataDirectory(join(projectRoot, toolsDirectory));
  makeDataDirectory(data);
  const settingUp = setUpHost(data, output).then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  const fast = await runVitest(projectRoot, fastProjects, args);
  const failedSetUp = await settingUp;
  if (failedSetUp !== undefined) {
    output.fail(failedSetUp.error);
    say(output, [fast]);
    return 1;
  }
  const host = await runVitest(projectRoot, hostProjects, args);
  say(output, [fast, host]);
  return fast.code === 0 && host.code === 0 ? 0 : 1;
}

interface Run {
  code: number;
  totals: Totals | undefined;
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
    return { code, totals: totalsSchema.nullable().parse(JSON.parse(text)) ?? undefined };
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

/** The line a machine can read; a run that wrote no report counts as one failure. */
function say(output: Output, runs: Run[]): void {
  const sum = (read: (totals: Totals) => number, missing: number) =>
    runs.reduce((total, run) => total + (run.totals === undefined ? missing : read(run.totals)), 0);
  const passed = sum((totals) => totals.numPassedTests, 0);
  const failed = sum((totals) => totals.numFailedTests, 1);
  const skipped = sum((totals) => totals.numPendingTests, 0);
  output.print(`${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`);
}
