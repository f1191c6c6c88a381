import { describe, expect, test } from 'vitest';
import { createBuildScope, scopeArguments } from '../../../runner/builder/build-scope.ts';
import { buildVariables, dockerfileValues, withheldNotes } from '../../../runner/builder/build-variables.ts';
import { secretValues } from '../../../runner/job-log/secret-mask.ts';
import { serviceEnvironment } from '../../../runner/jobs/deploy/start-candidate.ts';
import { temporaryDirectory } from '../../support/runner/temporary-directory.ts';

const env = {
  API: 'x',
  BUILDKIT_SYNTAX: 'evil/frontend',
  BUILDKIT_CACHE_MOUNT_NS: 'of another project',
  LONGSHORE_BUILD_SCOPE: 'of another project',
  SOURCE_DATE_EPOCH: '0',
};

test('variables that steer BuildKit are not passed to a build, and are named', () => {
  expect(buildVariables({ env }, 'buildkit')).toEqual({ API: 'x' });
  const names = 'BUILDKIT_CACHE_MOUNT_NS, BUILDKIT_SYNTAX, LONGSHORE_BUILD_SCOPE, SOURCE_DATE_EPOCH';
  expect(withheldNotes({ env })).toEqual([
    `Not passed to the build, because they would configure Docker itself: ${names}`,
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

describe('variables with a scope', () => {
  const variables = {
    env: { BOTH: '1', TRACE: '2', NODE_OPTIONS: '--require ./trace.js' },
    buildOnly: { NPM_TOKEN: '3', RUBYOPT: '-r./build' },
    runOnly: ['TRACE', 'NODE_OPTIONS'],
  };

  test('a build gets those of the scopes "both" and "build", and its log names the others', () => {
    // The user chose the build for RUBYOPT, which is otherwise kept from it.
    const expected = { BOTH: '1', NPM_TOKEN: '3', RUBYOPT: '-r./build' };
    expect(buildVariables(variables, 'buildkit')).toEqual(expected);
    expect(withheldNotes(variables)).toEqual([
      'Not passed to the build, because their scope is "run": NODE_OPTIONS, TRACE',
    ]);
  });

  test('a Dockerfile can ask for the same, by ARG and as secret mounts', () => {
    const values = dockerfileValues({ ...variables, secretKeys: ['NPM_TOKEN'] }, undefined, null);
    expect(Object.fromEntries(values)).toEqual({
      BOTH: { value: '1', isSecret: false },
      NPM_TOKEN: { value: '3', isSecret: true },
      RUBYOPT: { value: '-r./build', isSecret: false },
    });
  });

  test('containers get those of the scopes "both" and "run"', () => {
    const spec = { runtimeMode: 'worker' as const, internalPort: 8080, container: undefined };
    expect(serviceEnvironment(spec, null, variables)).toEqual(variables.env);
  });

  test('logs hide secrets of each scope', () => {
    const mask = (keys?: string[]) =>
      secretValues({ ...variables, gitToken: null, ...(keys ? { secretKeys: keys } : {}) });
    expect(mask(['NPM_TOKEN', 'TRACE'])).toEqual(expect.arrayContaining(['2', '3']));
    expect(mask()).toEqual(expect.arrayContaining(['1', '2', '3', '-r./build']));
  });
});
