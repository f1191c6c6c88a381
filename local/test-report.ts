/** Reads vitest's JSON reports: the failed tests, and the remaining failures after their files ran again alone. */
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { z } from 'zod';

const fileSchema = z.object({
  name: z.string(),
  status: z.string(),
  message: z.string(),
  /** Epoch milliseconds. */
  startTime: z.number(),
  endTime: z.number(),
  assertionResults: z.array(
    z.object({ fullName: z.string(), status: z.string(), failureMessages: z.array(z.string()).nullish() }),
  ),
});
/** The fields of vitest's JSON report that are used here. */
export const reportSchema = z.object({ testResults: z.array(fileSchema) });
/** The content of the file that `outside-errors.ts` writes. */
export const outsideSchema = z.array(z.string());
export type TestReport = z.infer<typeof reportSchema>;
type TestFile = z.infer<typeof fileSchema>;

/** The result of one run of vitest. */
export interface TestRun {
  /** vitest's exit code; also not 0 for an error outside of tests. */
  code: number;
  /** `undefined` if vitest ended before it wrote a report. */
  report: TestReport | undefined;
  /** Errors outside of tests, such as unhandled rejections. */
  outside: string[];
  /** `file: test: reason` of tests that failed beside others and passed alone: a test that passes only the second time is a fault. */
  faults?: string[];
}

/** The most files that run again: more failures are no accident. */
const filesAgainMax = 3;

/**
 * @returns absolute paths of the failed files if a second run alone makes sense: only a few failed, and nothing else. Otherwise none.
 */
export function filesToRunAgain({ code, report }: TestRun): string[] {
  if (code === 0 || report === undefined) return [];
  const failed = report.testResults.filter(({ status }) => status === 'failed').map(({ name }) => name);
  return failed.length <= filesAgainMax ? failed : [];
}

/**
 * @param again the second run, of the files of `filesToRunAgain(first)`; its results replace those of the first run for these files. Errors
 *   outside of tests stay errors: their file is unknown, so a file that passes alone does not cancel them.
 */
export function together(first: TestRun, again: TestRun): TestRun {
  const files = first.report?.testResults ?? [];
  const anew = new Map(again.report?.testResults.map((file) => [file.name, file]));
  const testResults = files.map((file) => anew.get(file.name) ?? file);
  const still = new Set(testResults.flatMap(failuresOf).map(({ test }) => test));
  const faults = files
    .flatMap(failuresOf)
    .filter(({ test }) => !still.has(test))
    .map(inOneLine);
  const outside = [...first.outside, ...again.outside];
  return { code: outside.length > 0 ? 1 : again.code, report: { testResults }, outside, faults };
}

/**
 * @returns `FAULT` and the test for each that passed only the second time, `FAILED` and the test for each failure, then the machine-readable
 *   last line. An error outside of tests counts as one failure, and so does a run without a report.
 */
export function summary(runs: TestRun[], projectRoot: string): string[] {
  const files = runs.flatMap(({ report }) => report?.testResults ?? []);
  const outside = runs.flatMap((run) => run.outside);
  const failures = [
    ...files.flatMap(failuresOf).map((failure) => relative(projectRoot, inOneLine(failure))),
    ...outside.map((error) => `outside of tests: ${error}`),
  ];
  const count = (...statuses: string[]) =>
    files.flatMap((file) => file.assertionResults).filter(({ status }) => statuses.includes(status)).length;
  const failed = failures.length + runs.filter(({ report }) => report === undefined).length;
  const skipped = count('skipped', 'pending', 'todo', 'disabled');
  const faults = runs.flatMap((run) => run.faults ?? []).map((fault) => relative(projectRoot, fault));
  return [
    ...faults.map((fault) => `FAULT (failed beside others and passed alone, mend it) ${fault}`),
    ...failures.map((failure) => `FAILED ${failure}`),
    [
      `${count('passed')} passed, ${failed} failed`,
      ...(skipped === 0 ? [] : [`${skipped} skipped`]),
      ...(faults.length === 0 ? [] : [`${faults.length} passed only the second time`]),
    ].join(', '),
  ];
}

const dearestFiles = 20;

/** @returns a line for each of the slowest files, with its seconds of wall time beside the others, the longest first */
export function dearest(runs: TestRun[], projectRoot: string): string[] {
  return durations(runs, projectRoot)
    .slice(0, dearestFiles)
    .map(({ file, seconds }) => `${seconds.toFixed(1).padStart(6)} s ${file}`);
}

/** The time budget of a file of `npm test` beside others. A slower file belongs in `npm run test:all`. */
const budgetSeconds = 100;
/** A shared machine takes up to three times as long. Only a longer time fails the run. */
const busyMachine = 3;

/** @returns a line for each file over its budget, and whether one took so long that no busy machine explains it */
export function overBudget(runs: TestRun[], projectRoot: string): { lines: string[]; isExceeded: boolean } {
  const over = durations(runs, projectRoot).filter(({ seconds }) => seconds > budgetSeconds);
  const limit = (seconds: number) => (seconds > budgetSeconds * busyMachine ? 'TOO LONG' : 'OVER BUDGET');
  const lines = over.map(({ file, seconds }) => `${limit(seconds)} ${file}: more than ${budgetSeconds} s`);
  return { lines, isExceeded: over.some(({ seconds }) => seconds > budgetSeconds * busyMachine) };
}

/** The longest first. */
function durations(runs: TestRun[], projectRoot: string): { file: string; seconds: number }[] {
  return runs
    .flatMap(({ report }) => report?.testResults ?? [])
    .map(({ name, startTime, endTime }) => ({
      file: relative(projectRoot, name),
      seconds: (endTime - startTime) / 1_000,
    }))
    .sort((one, other) => other.seconds - one.seconds);
}

/** Each failed test with its file, and why; only the file when none of its tests ran. */
function failuresOf({ name, status, message, assertionResults }: TestFile): Failure[] {
  const tests = assertionResults.filter((test) => test.status === 'failed');
  if (tests.length > 0)
    return tests.map(({ fullName, failureMessages }) => ({
      test: `${name}: ${fullName}`,
      reason: reasonOf(failureMessages?.[0] ?? '', name),
    }));
  return status === 'failed' ? [{ test: name, reason: message }] : [];
}

/** @returns the first line, what a browser waited for, and the line of the test's file: often all that is left of a run elsewhere */
function reasonOf(message: string, file: string): string {
  const text = stripVTControlCharacters(message);
  const waited = /^ {2}- (waiting for .*)$/m.exec(text)?.[1];
  const line = text.split(`${file}:`)[1]?.match(/^\d+/)?.[0];
  const more = [waited, line && `line ${line}`].filter(Boolean).join(', ');
  const first = text.split('\n', 1)[0] ?? '';
  return more === '' ? first : `${first} (${more})`;
}

interface Failure {
  /** `file: test` */
  test: string;
  /** Empty if vitest reports none. */
  reason: string;
}

const inOneLine = ({ test, reason }: Failure) => (reason === '' ? test : `${test}: ${reason}`);
