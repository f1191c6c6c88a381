import { describe, expect, test } from 'vitest';
import type { DeploySpec } from '../../../protocol/job-spec.ts';
import {
  type BuildSettings,
  decideBuildMethod,
  isStaticSite,
} from '../../../runner/builder/decide-build-method.ts';
import { memoryFiles } from '../../support/runner/memory-files.ts';

const build: DeploySpec['build'] = {
  method: 'auto',
  dockerfilePath: null,
  installCommand: null,
  buildCommand: null,
  startCommand: null,
  staticOutput: null,
};

type BuildInput = Partial<DeploySpec['build']> & {
  mode?: BuildSettings['runtimeMode'];
  env?: Record<string, string>;
};

const decide = (files: Record<string, string>, { mode = 'web', env = {}, ...fields }: BuildInput = {}) =>
  decideBuildMethod(memoryFiles(files), { build: { ...build, ...fields }, runtimeMode: mode, env });

const dockerfile = (path: string) => ({ type: 'dockerfile', dockerfile: path });
const analyzer = { type: 'analyzer' };

describe('auto', () => {
  test('build method auto builds the Dockerfile of the service root, whatever else is there', () => {
    expect(decide({ Dockerfile: '', 'package.json': '{}' })).toEqual(dockerfile('Dockerfile'));
  });

  test('build method auto builds the Dockerfile that is named', () => {
    const files = { 'deploy/Dockerfile': '', 'package.json': '{}' };
    expect(decide(files, { dockerfilePath: 'deploy/Dockerfile' })).toEqual(dockerfile('deploy/Dockerfile'));
  });

  test.each(['dockerfile', 'Containerfile'])('build method auto builds a %s', (name) => {
    expect(decide({ [name]: '', 'package.json': '{}' })).toEqual(dockerfile(name));
    expect(decide({ [name]: '', Dockerfile: '' })).toEqual(dockerfile('Dockerfile'));
    expect(decide({ [name]: '' }, { method: 'dockerfile' })).toEqual(dockerfile(name));
    expect(decide({ [name]: '' }, { method: 'analyzer' })).toEqual(analyzer);
    expect(decide({ [name]: '' }, { dockerfilePath: 'Dockerfile' })).toEqual(analyzer);
  });

  test('build method auto leaves everything else to the analyzer', () => {
    expect(decide({ 'package.json': '{}' })).toEqual(analyzer);
    expect(decide({ Dockerfile: '' }, { dockerfilePath: 'deploy/Dockerfile' })).toEqual(analyzer);
    expect(decide({})).toEqual(analyzer);
  });
});

describe('dockerfile', () => {
  test('build method dockerfile always builds the Dockerfile, for static sites too', () => {
    const files = { Dockerfile: '', 'index.html': '' };
    expect(decide(files, { method: 'dockerfile', mode: 'static' })).toEqual(dockerfile('Dockerfile'));
  });

  test('build method dockerfile fails by name when the Dockerfile is missing, whatever else is there', () => {
    const files = { Dockerfile: '', 'package.json': '{}' };
    expect(() => decide(files, { method: 'dockerfile', dockerfilePath: 'ops/Dockerfile' })).toThrow(
      expect.objectContaining({
        code: 'build_method_missing',
        message: expect.stringContaining('no file ops/Dockerfile'),
      }),
    );
  });
});

test('build method analyzer never builds a Dockerfile, not even one that is named', () => {
  const env = { SERVICE_DOCKERFILE_PATH: 'a' };
  expect(decide({ Dockerfile: '', a: '' }, { method: 'analyzer' })).toEqual(analyzer);
  expect(decide({ Dockerfile: '', a: '' }, { method: 'analyzer', dockerfilePath: 'a', env })).toEqual(
    analyzer,
  );
});

describe('SERVICE_DOCKERFILE_PATH', () => {
  test.each<DeploySpec['build']['method']>(['auto', 'dockerfile'])(
    'SERVICE_DOCKERFILE_PATH overrides dockerfilePath (%s)',
    (method) => {
      const env = { SERVICE_DOCKERFILE_PATH: 'b' };
      expect(decide({ Dockerfile: '', a: '', b: '' }, { method, dockerfilePath: 'a', env })).toEqual(
        dockerfile('b'),
      );
    },
  );

  test('SERVICE_DOCKERFILE_PATH counts as not set when it is empty', () => {
    const env = { SERVICE_DOCKERFILE_PATH: '' };
    expect(decide({ Dockerfile: '', a: '' }, { dockerfilePath: 'a', env })).toEqual(dockerfile('a'));
  });
});

test.each<BuildInput>([
  { dockerfilePath: '/etc/passwd' },
  { dockerfilePath: '../Dockerfile' },
  { env: { SERVICE_DOCKERFILE_PATH: '../../x' } },
  { staticOutput: '../..' },
  { staticOutput: '/etc' },
])('%j is refused before anything is looked at', (settings) => {
  expect(() => decide({ 'index.html': '' }, settings)).toThrow(
    expect.objectContaining({ code: 'source_refused' }),
  );
});

test('a static site is a service of that mode, or a web service that names its static output', () => {
  const is = (runtimeMode: BuildSettings['runtimeMode'], staticOutput: string | null) =>
    isStaticSite({ runtimeMode, build: { ...build, staticOutput } });
  expect([
    is('static', null),
    is('web', 'dist'),
    is('web', null),
    is('web', ''),
    is('worker', 'dist'),
  ]).toEqual([true, true, false, false, false]);
});
