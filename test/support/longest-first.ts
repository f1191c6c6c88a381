/**
 * The order in which test files with Docker begin. Vitest takes one project after the other, and of each the files with the most text
 * first: then whole instances come last, and last of all the short files that run a long contract. At the end, one worker was still busy
 * with them when the others had nothing left.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take longer than their size says. */
export const longFiles: readonly string[] = [
  'test/e2e/crash.test.ts',
  'test/e2e/database-browsing.test.ts',
  'test/e2e/database-restores.test.ts',
  'test/runner/jobs/data/kill.docker.test.ts',
  'test/runner/jobs/data/backups/postgres-backup.docker.test.ts',
  'test/runner/jobs/data/backups/redis-backup.docker.test.ts',
  'test/runner/jobs/data/stopped.docker.test.ts',
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // Sorting is stable: files of one rank keep the order of Vitest.
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}

/** Smaller is earlier. The projects without Docker stay as they are: files of one project share processes as long as they are neighbours. */
function rank({ moduleId, project }: TestSpecification): number {
  if (longFiles.some((file) => moduleId.endsWith(`/${file}`))) return 0;
  return { e2e: 1, docker: 2 }[project.name] ?? 3;
}
