/**
 * The order in which test files with Docker start. By default, Vitest runs one project after the other, and in each project the largest
 * files first. Then whole instances would come late, and the short files that run a long contract would come last. At the end, one worker would
 * still be busy with them while the others were idle.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take longer than their size suggests. */
export const longFiles: readonly string[] = [
  'test/e2e/crash.test.ts',
  'test/e2e/database-browsing.test.ts',
  'test/e2e/database-restores.test.ts',
  'test/runner/jobs/data/kill.docker.test.ts',
  'test/runner/jobs/data/backups/postgres-backup.soak.test.ts',
  'test/runner/jobs/data/backups/redis-backup.soak.test.ts',
  'test/runner/jobs/data/stopped.docker.test.ts',
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // Sorting is stable: files of one rank keep the order of Vitest.
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}

/** Smaller is earlier. Projects without Docker keep their order, because neighbouring files of a project share processes. */
function rank({ moduleId, project }: TestSpecification): number {
  if (longFiles.some((file) => moduleId.endsWith(`/${file}`))) return 0;
  return { e2e: 1, docker: 2 }[project.name] ?? 3;
}
