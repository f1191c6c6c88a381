/**
 * `npm test`: sets the machine up and makes the images, while the tests that need neither already run. The tests with Docker begin as
 * soon as their images are there: they mostly wait, for Docker, databases and proxies, and leave the processors to the others.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Output } from './output.ts';
import { outsideErrorsFile } from './outside-errors.ts';
import { StartError } from './start-error.ts';
import {
  dearest,
  filesToRunAgain,
  outsideSchema,
  reportSchema,
  summary,
  type TestRun,
  together,
} from './test-report.ts';

/** The program behind `npm run test:images`, without the language images: the few tests that need those make them. */
const makeImages = ['test/stand-ins/main.ts', '--engines'];
const outsideErrorsReporter = fileURLToPath(new URL('outside-errors.ts', import.meta.url));
const fastProjects = ['workers', 'node', 'processes'];
const hostProjects = ['docker', 'e2e'];

/**
 * @param args are passed to vitest: file filters, `-t`.
 * @returns the exit code: 1 when a test or the set-up failed.
 */
export async function runTests(projectRoot: string, args: string[], output: Output): Promise<number> {
  const settingUp = exitCode(makeImages, projectRoot);
  const held = holdOutput();
  const [fast, host] = await Promise.all([
    runVitest(projectRoot, fastProjects, args).finally(held.release),
    settingUp.then((code) => (code === 0 ? runVitest(projectRoot, hostProjects, args, held) : undefined)),
  ]);
  if (host === undefined) {
    const sentence = 'The machine could not be set up for tests with Docker; they did not run. The reason:';
    output.fail(new StartError('image_failed', sentence, { command: 'npm run test:images' }));
  }
  const runs = [await aloneAgain(projectRoot, fastProjects, args, fast, output)];
  if (host !== undefined) runs.push(await aloneAgain(projectRoot, hostProjects, args, host, output));
  output.print('The files that took longest:');
  for (const line of [...dearest(runs, projectRoot), ...summary(runs, projectRoot)]) output.print(line);
  return runs.length === 2 && runs.every(({ code }) => code === 0) ? 0 : 1;
}

/**
 * Runs the files that failed again, when nothing else is running: a machine that was too busy for a test's limits is no failure of the
 * product. What passes then is printed by name, since its limits are too tight. With arguments nothing runs again.
 */
async function aloneAgain(
  projectRoot: string,
  projects: string[],
  args: string[],
  first: TestRun,
  output: Output,
): Promise<TestRun> {
  const files = args.length === 0 ? filesToRunAgain(first) : [];
  if (files.length === 0) return first;
  output.print(
    `${files.length} ${files.length === 1 ? 'file' : 'files'} failed beside others: run again alone.`,
  );
  const run = together(first, await runVitest(projectRoot, projects, ['--no-file-parallelism', ...files]));
  for (const test of run.passedAlone) output.print(`PASSED ALONE ${relative(projectRoot, test)}`);
  return run;
}

async function runVitest(
  projectRoot: string,
  projects: string[],
  args: string[],
  held?: HeldOutput,
): Promise<TestRun> {
  const scratch = await mkdtemp(join(tmpdir(), 'longshore-test-'));
  try {
    const [report, outside] = [join(scratch, 'report.json'), join(scratch, 'outside.json')];
    const flags = [
      '--passWithNoTests',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
      `--reporter=${outsideErrorsReporter}`,
    ];
    const vitest = join(projectRoot, 'node_modules/vitest/vitest.mjs');
    const chosen = projects.flatMap((project) => ['--project', project]);
    const env = { ...process.env, [outsideErrorsFile]: outside };
    const code = await exitCode([vitest, 'run', ...chosen, ...flags, ...args], projectRoot, { held, env });
    const read = async (path: string) => JSON.parse(await readFile(path, 'utf8').catch(() => 'null'));
    return {
      code,
      report: reportSchema.nullable().parse(await read(report)) ?? undefined,
      outside: outsideSchema.nullable().parse(await read(outside)) ?? [],
    };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** @param options.held takes what the program prints; otherwise it prints by itself */
function exitCode(
  args: string[],
  cwd: string,
  { held, env }: { held?: HeldOutput | undefined; env?: NodeJS.ProcessEnv } = {},
): Promise<number> {
  return new Promise((resolve, reject) => {
    const printed = held ? 'pipe' : 'inherit';
    const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', printed, printed] });
    child.stdout?.on('error', reject).on('data', (chunk: Buffer) => held?.print('stdout', chunk));
    child.stderr?.on('error', reject).on('data', (chunk: Buffer) => held?.print('stderr', chunk));
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}

interface HeldOutput {
  print(stream: 'stdout' | 'stderr', chunk: Buffer): void;
  /** Prints what was held, and from now on at once. */
  release(): void;
}

/** Two programs that print at the same time would write into each other's lines. */
function holdOutput(): HeldOutput {
  const held: { stream: 'stdout' | 'stderr'; chunk: Buffer }[] = [];
  let isHolding = true;
  return {
    print(stream, chunk) {
      if (isHolding) held.push({ stream, chunk });
      else process[stream].write(chunk);
    },
    release() {
      isHolding = false;
      for (const { stream, chunk } of held.splice(0)) process[stream].write(chunk);
    },
  };
}
