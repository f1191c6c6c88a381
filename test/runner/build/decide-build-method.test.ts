import { describe, expect, test } from 'vitest';
import type { DeploySpec } from '../../../protocol/job-spec.ts';
import {
  type BuildWish,
  decideBuildMethod,
  isStaticSite,
} from '../../../runner/build/decide-build-method.ts';

const build: DeploySpec['build'] = {
  method: 'auto',
  dockerfilePath: null,
  installCommand: null,
  buildCommand: null,
  startCommand: null,
  staticOutput: null,
};

type Wish = Partial<DeploySpec['build']> & { mode?: BuildWish['runtimeMode']; env?: Record<string, string> };

function decide(files: Record<string, string>, { mode = 'web', env = {}, ...fields }: Wish = {}) {
  const source = {
    hasFile: async (path: string) => path in files,
    readText: async (path: string) => files[path],
  };
  return decideBuildMethod(source, { build: { ...build, ...fields }, runtimeMode: mode, env });
}

const dockerfile = (path: string) => ({ type: 'dockerfile', dockerfile: path });

describe('auto', () => {
  test('builds the Dockerfile of the service root', async () => {
    expect(await decide({ Dockerfile: '', 'index.html': '' })).toEqual(dockerfile('Dockerfile'));
  });

  test('builds the Dockerfile that is named', async () => {
    expect(await decide({ 'deploy/Dockerfile': '' }, { dockerfilePath: 'deploy/Dockerfile' })).toEqual(
      dockerfile('deploy/Dockerfile'),
    );
  });

  test('serves a plain static repository', async () => {
    expect(await decide({ 'index.html': '' })).toEqual({ type: 'static', directory: '.' });
    expect(await decide({ 'public/index.html': '' }, { staticOutput: 'public' })).toEqual({
      type: 'static',
      directory: 'public',
    });
  });

  test.each<[string, Record<string, string>, Wish, RegExp]>([
    ['there is neither', { 'README.md': '' }, {}, /no file Dockerfile, and no index\.html/],
    [
      'the static output is not there',
      { 'index.html': '' },
      { staticOutput: 'dist' },
      /no dist\/index\.html/,
    ],
    ['there is a build command', { 'index.html': '' }, { buildCommand: 'make' }, /build step/],
    [
      'package.json has a build',
      { 'index.html': '', 'package.json': '{"scripts":{"build":"vite build"}}' },
      {},
      /build step/,
    ],
    [
      'package.json has a start',
      { 'index.html': '', 'package.json': '{"scripts":{"start":"node ."}}' },
      {},
      /build step/,
    ],
    ['a worker has no Dockerfile', { 'index.html': '' }, { mode: 'worker' }, /worker/],
  ])('fails with a sentence when %s', async (_, files, wish, sentence) => {
    await expect(decide(files, wish)).rejects.toMatchObject({
      code: 'build_method_missing',
      message: expect.stringMatching(sentence),
    });
  });
});

describe('dockerfile', () => {
  test('always builds the Dockerfile, for static sites too', async () => {
    expect(
      await decide({ Dockerfile: '', 'index.html': '' }, { method: 'dockerfile', mode: 'static' }),
    ).toEqual(dockerfile('Dockerfile'));
  });

  test('fails by name when it is missing, whatever else is there', async () => {
    const wish: Wish = { method: 'dockerfile', dockerfilePath: 'ops/Dockerfile' };
    await expect(decide({ Dockerfile: '', 'index.html': '' }, wish)).rejects.toMatchObject({
      code: 'build_method_missing',
      message: expect.stringContaining('ops/Dockerfile'),
    });
  });
});

describe('analyzer', () => {
  test('never builds a Dockerfile', async () => {
    expect(await decide({ Dockerfile: '', 'index.html': '' }, { method: 'analyzer' })).toEqual({
      type: 'static',
      directory: '.',
    });
    await expect(decide({ Dockerfile: '' }, { method: 'analyzer' })).rejects.toMatchObject({
      code: 'build_method_missing',
    });
  });
});

describe('SERVICE_DOCKERFILE_PATH', () => {
  test.each<DeploySpec['build']['method']>(['auto', 'dockerfile'])(
    'goes before dockerfilePath (%s)',
    async (method) => {
      const files = { Dockerfile: '', a: '', b: '' };
      const env = { SERVICE_DOCKERFILE_PATH: 'b' };
      expect(await decide(files, { method, dockerfilePath: 'a', env })).toEqual(dockerfile('b'));
    },
  );

  test('counts as not set when it is empty', async () => {
    const env = { SERVICE_DOCKERFILE_PATH: '' };
    expect(await decide({ Dockerfile: '', a: '' }, { dockerfilePath: 'a', env })).toEqual(dockerfile('a'));
  });
});

test.each<Wish>([
  { dockerfilePath: '/etc/passwd' },
  { dockerfilePath: '../Dockerfile' },
  { env: { SERVICE_DOCKERFILE_PATH: '../../x' } },
  { staticOutput: '../..' },
  { staticOutput: '/etc' },
])('%j is refused before anything is looked at', async (wish) => {
  await expect(decide({ 'index.html': '' }, wish)).rejects.toMatchObject({ code: 'source_refused' });
});

test('a static site is one by mode, or a web service that names its static output', () => {
  const is = (runtimeMode: BuildWish['runtimeMode'], staticOutput: string | null) =>
    isStaticSite({ runtimeMode, build: { ...build, staticOutput } });
  expect([
    is('static', null),
    is('web', 'dist'),
    is('web', null),
    is('web', ''),
    is('worker', 'dist'),
  ]).toEqual([true, true, false, false, false]);
});
