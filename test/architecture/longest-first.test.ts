/** The order in which test files begin. */
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { TestSpecification, Vitest } from 'vitest/node';
import { LongestFirst, longFiles } from '../support/longest-first.ts';

const specification = (name: string, file: string) =>
  ({
    moduleId: `/longshore/${file}`,
    project: { name, config: { sequence: { groupOrder: 0 } } },
  }) as unknown as TestSpecification;

test('files with Docker that take long begin first, then whole instances; files of the other projects stay neighbours', async () => {
  const given: [project: string, file: string][] = [
    ['docker', 'test/runner/a.docker.test.ts'],
    ['docker', 'test/runner/jobs/data/kill.docker.test.ts'],
    ['e2e', 'test/e2e/a.test.ts'],
    ['e2e', 'test/e2e/crash.test.ts'],
    ['node', 'test/client/a.test.ts'],
    ['node', 'test/client/b.test.ts'],
    ['processes', 'test/cli/a.process.test.ts'],
  ];
  const context = { cache: { getTestSpecificationResult: () => ({ failed: false, duration: 1 }) } };
  const order = await new LongestFirst(context as unknown as Vitest).sort(
    given.map(([project, file]) => specification(project, file)),
  );
  expect(order.map(({ moduleId }) => moduleId.replace('/longshore/', ''))).toEqual([
    'test/runner/jobs/data/kill.docker.test.ts',
    'test/e2e/crash.test.ts',
    'test/e2e/a.test.ts',
    'test/runner/a.docker.test.ts',
    'test/client/a.test.ts',
    'test/client/b.test.ts',
    'test/cli/a.process.test.ts',
  ]);
});

test.each(longFiles)('%s, which begins early, is there', (file) => {
  expect(existsSync(file)).toBe(true);
});
