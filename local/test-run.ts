/**
 * `npm test` and `npm run test:all`. `npm test` sets the machine up and builds the images, while the tests that need neither already run. The tests
 * with Docker begin as soon as their images exist. They mostly wait for Docker, databases and proxies, and leave the processors to the others.
 */
import { spawn } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Output } from './output.ts';
import { outsideErrorsFile } from './outside-errors.ts';
import { StartError } from './start-error.ts';
import { pathsIn, projectsOf, type TestProject } from './test-projects.ts';
import {
  dearest,
  filesToRunAgain,
  outsideSchema,
  overBudget,
  reportSchema,
  summary,
  type TestRun,
  together,
} from './test-report.ts';

/** The program of `npm run test:images`, without the language images: the few tests that need those build them. */
const makeImages = ['test/stand-ins/main.ts', '--engines'];
const outsideErrorsReporter = fileURLToPath(new URL('outside-errors.ts', import.meta.url));
const fastProjects: TestProject[] = ['workers', 'node', 'processes'];
const hostProjects: TestProject[] = ['docker', 'e2e'];
/** The mark of a test that tries a part of its values (test/support/level.ts). */
const matrixTag = /module-tag matrix|tags: .*'matrix'/;

/**
 * @param args are passed to vitest: paths, `-t`. With paths only the projects of their files run, and only their needs are set up. `--all`:
 *   the tests that `npm test` leaves out, except those that take hours.
 * @returns the exit code: 1 when a test or the set-up failed.
 */
export async function runTests(projectRoot: string, args: string[], output: Output): Promise<number> {
  if (args.includes('--all')) return await runRest(projectRoot, output);
  const paths = pathsIn(args, projectRoot);
  if (paths.length === 0) return await runAll(projectRoot, args, output);
  const projects = projectsOf(paths, projectRoot);
  if (projects.some((project) => !fastProjects.includes(project))) {
    if ((await exitCode(makeImages, projectRoot)) !== 0) return notSetUp(output);
  }
  const run = await runVitest(projectRoot, projects, args);
  for (const line of summary([run], projectRoot)) output.print(line);
  return run.code;
}

async function runAll(projectRoot: string, args: string[], output: Output): Promise<number> {
  const settingUp = exitCode(makeImages, projectRoot);
  const held = holdOutput();
  const [fast, host] = await Promise.all([
    runVitest(projectRoot, fastProjects, args).finally(held.release),
    settingUp.then((code) => (code === 0 ? runVitest(projectRoot, hostProjects, args, held) : undefined)),
  ]);
  if (host === undefined) notSetUp(output);
  const runs = [args.length > 0 ? fast : await aloneAgain(projectRoot, fastProjects, fast, output)];
  if (host !== undefined)
    runs.push(args.length > 0 ? host : await aloneAgain(projectRoot, hostProjects, host, output));
  output.print('The files that took longest:');
  const budget = overBudget(runs, projectRoot);
  for (const line of [...dearest(runs, projectRoot), ...budget.lines, ...summary(runs, projectRoot)])
    output.print(line);
  return runs.length === 2 && !budget.isExceeded && runs.every(({ code }) => code === 0) ? 0 : 1;
}

/** Runs the other values of each matrix of the Worker beside the files of `soak`, which mostly wait as well. */
async function runRest(projectRoot: string, output: Output): Promise<number> {
  if ((await exitCode(makeImages, projectRoot)) !== 0) return notSetUp(output);
  process.env.TEST_LEVEL = 'all';
  const matrices = globSync('test/worker/**/*.test.ts', { cwd: projectRoot }).filter((file) =>
    matrixTag.test(readFileSync(join(projectRoot, file), 'utf8')),
  );
  const held = holdOutput();
  const [matrix, soak] = await Promise.all([
    runVitest(projectRoot, ['workers'], ['--tags-filter', 'matrix', ...matrices]).finally(held.release),
    runVitest(projectRoot, ['soak'], [], held),
  ]);
  const runs = [matrix, await aloneAgain(projectRoot, ['soak'], soak, output)];
  output.print('The files that took longest:');
  for (const line of [...dearest(runs, projectRoot), ...summary(runs, projectRoot)]) output.print(line);
  return runs.every(({ code }) => code === 0) ? 0 : 1;
}

function notSetUp(output: Output): number {
  const sentence = 'The machine could not be set up for tests with Docker; they did not run. The reason:';
  output.fail(new StartError('image_failed', sentence, { command: 'npm run test:images' }));
  return 1;
}

/**
 * Runs the failed files again alone, to distinguish a fault of the product from a fault of the test. A test that passes then is listed as a
 * fault of the test in the summary, and does not fail the run.
 */
async function aloneAgain(
  projectRoot: string,
  projects: TestProject[],
  first: TestRun,
  output: Output,
): Promise<TestRun> {
  const files = filesToRunAgain(first);
  if (files.length === 0) return first;
  output.print(
    `${files.length} ${files.length === 1 ? 'file' : 'files'} failed beside others: run again alone.`,
  );
  return together(first, await runVitest(projectRoot, projects, ['--no-file-parallelism', ...files]));
}

async function runVitest(
  projectRoot: string,
  projects: TestProject[],
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

/** @param options.held collects the program's output; otherwise the program prints directly */
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
  /** Prints the held output, and later output at once. */
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
