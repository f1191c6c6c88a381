import { expect, test } from 'vitest';
import { detect } from '../../../../runner/builder/analyzer/detect.ts';
import { sourceFilesIn } from '../../../../runner/builder/analyzer/project-files.ts';
import type { BuildOverrides } from '../../../../runner/builder/analyzer/provider.ts';
import { memoryFiles } from '../../../support/runner/memory-files.ts';

const nothing: BuildOverrides = {
  installCommand: null,
  buildCommand: null,
  startCommand: null,
  staticOutput: null,
  runtimeMode: 'web',
  env: {},
};
const plan = (files: Record<string, string>, more: Partial<BuildOverrides> = {}) =>
  detect(memoryFiles(files), { ...nothing, ...more });
const start = async (files: Record<string, string>, more: Partial<BuildOverrides> = {}) => {
  const { output } = await plan(files, more);
  return output.type === 'run' ? output.start : output;
};

const files = {
  Procfile: '# comment\nweb: node web.js --flag\nworker:node work.js\nrelease: node migrate.js\nother: x\n',
  'package.json': '{"scripts":{"start":"node never.js"}}',
};

test("a Procfile overrides the provider's start command, and the user's command overrides the Procfile", async () => {
  expect(await start(files)).toBe('node web.js --flag');
  expect(await start(files, { startCommand: 'node mine.js' })).toBe('node mine.js');
});

test('a Procfile starts a worker with its own command', async () => {
  expect(await start(files, { runtimeMode: 'worker' })).toBe('node work.js');
});

test('a Procfile can define the release step', async () => {
  expect((await plan(files)).release).toBe('node migrate.js');
  expect((await plan({ 'package.json': files['package.json'] })).release).toBeNull();
  expect((await plan(files, { releaseCommand: 'node own.js' })).release).toBe('node own.js');
  expect((await plan({ 'index.html': '' }, { releaseCommand: 'node own.js' })).release).toBeNull();
});

test('a Procfile alone is enough to deploy', async () => {
  expect(await start({ Procfile: 'web: ./server' })).toBe('./server');
  expect(await plan({ Procfile: 'web: ruby a.rb' })).toMatchObject({ output: { image: { name: 'ruby' } } });
  await expect(plan({ Procfile: 'clock: x' })).rejects.toThrow(/web: <command>/);
});

test.each([
  [{ 'index.html': '' }, '.'],
  [{ 'public/index.html': '' }, 'public'],
  [{ 'index.html': '', 'package.json': '{"devDependencies":{"prettier":"3"}}' }, '.'],
])('the files %j are a static site', async (files, directory) => {
  expect(await plan(files)).toMatchObject({ provider: 'static', output: { type: 'site', directory } });
});

test('plain files are served from the directory that the user names', async () => {
  const output = { type: 'site', directory: 'web/out' };
  expect(await plan({ 'web/out/index.html': '' }, { staticOutput: 'web/out' })).toMatchObject({ output });
  await expect(plan({ 'index.html': '' }, { staticOutput: 'dist' })).rejects.toThrow('no dist/index.html');
});

test('plain files are not a worker', async () => {
  await expect(plan({ 'index.html': '' }, { runtimeMode: 'worker' })).rejects.toThrow(/worker/);
});

test('a lone script is the start command when nothing else is', async () => {
  expect(await start({ 'start.sh': '' })).toBe('sh start.sh');
  expect(await start({ 'start.sh': '#!/usr/bin/env bash\nset -o pipefail' })).toBe('bash start.sh');
  expect(await start({ 'start.sh': '#!/bin/bash -e\r\ntrue' })).toBe('/bin/bash -e start.sh');
  expect(await start({ 'start.sh': '', 'package.json': '{"main":"a.js"}', 'a.js': '' })).toBe('node a.js');
});

test.each([
  ['node', '#!/bin/sh\n# python first\nset -e\nexec node server.js\n'],
  ['python', 'cd app && HOST=0.0.0.0 python3 -m http.server "$PORT"'],
  ['jre', 'if true; then exec java -jar app.jar; fi'],
  ['debian', 'echo node; ./server'],
])('a script runs in the image of %s, which has what it calls', async (name, script) => {
  const image = { name, version: null };
  expect(await plan({ 'start.sh': script })).toMatchObject({ build: { image }, output: { image } });
});

test('a source that nothing explains is refused with a clear reason', async () => {
  await expect(plan({ 'README.md': '' })).rejects.toThrow(/add a Dockerfile or a Procfile, or check rootDir/);
});

test.each([
  ['gleam.toml', 'Gleam'],
  ['Package.swift', 'Swift'],
  ['cpanfile', 'Perl'],
])('a project with %s is refused with its language and the way out', async (manifest, language) => {
  await expect(plan({ [manifest]: '' })).rejects.toThrow(
    `${manifest} is a project of ${language}, for which the analyzer has no builder: add a Dockerfile`,
  );
  expect((await plan({ [manifest]: '', Procfile: 'web: sh a' })).provider).toBe('shell');
});

test('Deno starts its task, or its main file', async () => {
  const address = 'DENO_SERVE_ADDRESS=tcp:0.0.0.0:$PORT';
  expect(await start({ 'deno.json': '{"tasks":{"start":"x"}}', 'main.ts': '' })).toBe(
    `${address} deno task start`,
  );
  expect(await start({ 'deno.json': '{}', 'main.ts': '' })).toBe(`${address} deno run --allow-all main.ts`);
  await expect(plan({ 'deno.json': '{}' })).rejects.toThrow(/set startCommand/);
});

test('Deno leaves a project of Node alone that has functions for Deno', async () => {
  const files = { 'deno.json': '{}', 'package.json': '{"scripts":{"start":"node ."}}' };
  expect((await plan(files)).provider).toBe('node');
});

test('the root that a Staticfile names is served, unless it leaves the service root', async () => {
  const directory = async (files: Record<string, string>) => (await plan(files)).output;
  const pages = { 'web/index.html': '', 'index.html': '' };
  expect(await directory({ ...pages, Staticfile: 'root: web/' })).toMatchObject({ directory: 'web' });
  expect(await directory({ ...pages, Staticfile: "root: './web' # pages" })).toMatchObject({
    directory: 'web',
  });
  expect(await directory({ ...pages, Staticfile: 'root: ../other' })).toMatchObject({ directory: '.' });
});

test('the files that explanations may name are those of the service root and of the repository around it', () => {
  const files = {
    'pnpm-lock.yaml': '',
    'apps/web/package.json': '{}',
    'apps/web/secret-plan.txt': '',
    'apps/api/go.mod': '',
  };
  expect(sourceFilesIn(memoryFiles(files, 'apps/web'))).toEqual(['package.json', 'pnpm-lock.yaml']);
  expect(sourceFilesIn(memoryFiles(files))).toEqual(['pnpm-lock.yaml']);
});
