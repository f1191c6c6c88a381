/** What vitest's JSON reports say: the tests that failed, and what remains of that when their files ran again alone. */
import { relative } from 'node:path';
import { z } from 'zod';

const fileSchema = z.object({
  name: z.string(),
  status: z.string(),
  message: z.string(),
  /** Epoch milliseconds. */
  startTime: z.number(),
  endTime: z.number(),
  assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })),
});
/** The fields of vitest's JSON report that are used here. */
export const reportSchema = z.object({ testResults: z.array(fileSchema) });
/** What `outside-errors.ts` writes. */
export const outsideSchema = z.array(z.string());
export type TestReport = z.infer<typeof reportSchema>;
type TestFile = z.infer<typeof fileSchema>;

/** One run of vitest. */
export interface TestRun {
  /** vitest's exit code; not 0 as well for an error outside of tests. */
  code: number;
  /** Undefined when vitest ended before it wrote one. */
  report: TestReport | undefined;
  /** Errors outside of tests, such as unhandled rejections. */
  outside: string[];
}

/** The most files that run again: more than these don't fail because the machine was busy. */
const filesAgainMax = 3;

/**
 * @returns absolute paths of the files that failed, where it makes sense to run them again without others beside them: a few, and nothing
 *   else failed. Otherwise none.
 */
export function filesToRunAgain({ code, report }: TestRun): string[] {
  if (code === 0 || report === undefined) return [];
  const failed = report.testResults.filter(({ status }) => status === 'failed').map(({ name }) => name);
  return failed.length <= filesAgainMax ? failed : [];
}

/** What two runs say together. */
export interface Together extends TestRun {
  /** `file: test` of those that failed beside others and passed alone. */
  passedAlone: string[];
}

/**
 * @param again the second run, of the files of `filesToRunAgain(first)`; it counts instead of what the first one says of them. Errors
 *   outside of tests stay errors: nobody knows which file caused them, so no file that passes alone takes them back.
 */
export function together(first: TestRun, again: TestRun): Together {
  const files = first.report?.testResults ?? [];
  const anew = new Map(again.report?.testResults.map((file) => [file.name, file]));
  const testResults = files.map((file) => anew.get(file.name) ?? file);
  const still = new Set(testResults.flatMap(failuresOf));
  const passedAlone = files.flatMap(failuresOf).filter((failure) => !still.has(failure));
  const outside = [...first.outside, ...again.outside];
  return { code: outside.length > 0 ? 1 : again.code, report: { testResults }, outside, passedAlone };
}

/**
 * @returns `FAILED` and the test for each failure, then the machine-readable last line. An error outside of tests counts as one failure, and
 *   so does a run without a report.
 */
export function summary(runs: TestRun[], projectRoot: string): string[] {
  const files = runs.flatMap(({ report }) => report?.testResults ?? []);
  const outside = runs.flatMap((run) => run.outside);
  const failures = [
    ...files.flatMap(failuresOf).map((failure) => relative(projectRoot, failure)),
    ...outside.map((error) => `outside of tests: ${error}`),
  ];
  const count = (...statuses: string[]) =>
    files.flatMap((file) => file.assertionResults).filter(({ status }) => statuses.includes(status)).length;
  const failed = failures.length + runs.filter(({ report }) => report === undefined).length;
  const skipped = count('skipped', 'pending', 'todo', 'disabled');
  return [
    ...failures.map((failure) => `FAILED ${failure}`),
    `${count('passed')} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`,
  ];
}

const dearestFiles = 20;

/** @returns a line for each of the files that took longest, with its seconds of wall time beside the others, the longest first */
export function dearest(runs: TestRun[], projectRoot: string): string[] {
  return runs
    .flatMap(({ report }) => report?.testResults ?? [])
    .map(({ name, startTime, endTime }) => ({ name, seconds: (endTime - startTime) / 1_000 }))
    .sort((one, other) => other.seconds - one.seconds)
    .slice(0, dearestFiles)
    .map(({ name, seconds }) => `${seconds.toFixed(1).padStart(6)} s ${relative(projectRoot, name)}`);
}

/** Each failed test with its file; only the file, and why, when none of its tests ran. */
function failuresOf({ name, status, message, assertionResults }: TestFile): string[] {
  const tests = assertionResults.filter((test) => test.status === 'failed');
  if (tests.length > 0) return tests.map(({ fullName }) => `${name}: ${fullName}`);
  return status === 'failed' ? [`${name}: ${message}`] : [];
}
