import { expect, test } from 'vitest';
import { createBuildScope, scopeArguments } from '../../../runner/builder/build-scope.ts';
import { buildVariables, withheldVariables } from '../../../runner/builder/build-variables.ts';
import { temporaryDirectory } from '../../support/runner/temporary-directory.ts';

const env = {
  API: 'x',
  BUILDKIT_SYNTAX: 'evil/frontend',
  BUILDKIT_CACHE_MOUNT_NS: 'of another project',
  LONGSHORE_BUILD_SCOPE: 'of another project',
  SOURCE_DATE_EPOCH: '0',
};

test('variables that steer BuildKit are not passed to a build, and are named', () => {
  expect(buildVariables(env, 'buildkit')).toEqual({ API: 'x' });
  expect(withheldVariables(env)).toEqual([
    'BUILDKIT_CACHE_MOUNT_NS',
    'BUILDKIT_SYNTAX',
    'LONGSHORE_BUILD_SCOPE',
    'SOURCE_DATE_EPOCH',
  ]);
});

test('a project keeps its scope when the runner restarts, and shares it with no other project or host', () => {
  const [one, two] = [temporaryDirectory(), temporaryDirectory()];
  const scope = createBuildScope(one)('prj_a');
  expect(scope.layers).toMatch(/^[0-9a-f]{64}$/);
  expect(scope.mounts).not.toBe(scope.layers);
  expect(createBuildScope(one)('prj_a')).toEqual(scope);
  for (const other of [createBuildScope(one)('prj_b'), createBuildScope(two)('prj_a')]) {
    expect(other.layers).not.toBe(scope.layers);
    expect(other.mounts).not.toBe(scope.mounts);
  }
  expect(scopeArguments(scope, 'buildkit').BUILDKIT_CACHE_MOUNT_NS).toBe(scope.mounts);
});
