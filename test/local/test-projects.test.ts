import { expect, test } from 'vitest';
import { pathsIn, projectsOf } from '../../local/test-projects.ts';

const root = process.cwd();

test('only the projects of the given files run', () => {
  const projects = (...paths: string[]) => projectsOf(pathsIn(paths, root), root);
  expect(projects('test/protocol/frames.test.ts')).toEqual(['node']);
  expect(projects('./test/runner/docker/volumes.docker.test.ts:12')).toEqual(['docker']);
  expect(projects(`${root}/test/e2e/spine.test.ts`, 'test/worker/index')).toEqual(['workers', 'e2e']);
  expect(projects('test/soak/kill.test.ts')).toEqual(['soak']);
  expect(projects('test/host')).toEqual(['node', 'docker']);
  expect(projects('test/runner/engines')).not.toContain('soak');
  expect(projects('test/no-such')).toEqual([]);
});

test('a name of tests and a number are no paths', () => {
  expect(pathsIn(['-t', 'a / b', '--retry', '2', '--bail'], root)).toEqual([]);
});
