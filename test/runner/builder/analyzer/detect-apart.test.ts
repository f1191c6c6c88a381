/** The analyzer's own thread, against files made to stop it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { detectApart } from '../../../../runner/builder/analyzer/detect-apart.ts';
import { temporaryDirectory } from '../../../support/runner/temporary-directory.ts';

const overrides = {
  installCommand: null,
  buildCommand: null,
  startCommand: null,
  staticOutput: null,
  runtimeMode: 'web',
  env: {},
} as const;
const never = new AbortController().signal;

function project(files: Record<string, string>, directory = '.') {
  const tree = temporaryDirectory();
  mkdirSync(join(tree, directory), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(tree, directory, name), text);
  return { tree, directory, overrides };
}

const app = { 'package.json': '{"scripts":{"start":"node server.js"}}', 'package-lock.json': '{}' };

test('a project below the root of its repository is analysed, and what is missing is said', async () => {
  expect(await detectApart(project(app, 'apps/web'), never)).toMatchObject({ provider: 'node' });
  await expect(detectApart(project({ 'notes.txt': '' }), never)).rejects.toMatchObject({
    code: 'build_method_missing',
    message: expect.stringContaining('Nothing in this repository says how to build it'),
  });
});

/** Some expression of the analyzer compares each place of it with all that follow: half an hour in all. */
const gap = '\n'.repeat(450_000);

test('a file that takes the analyzer minutes fails its deployment alone, and the runner goes on meanwhile', async () => {
  const slow = project({
    ...app,
    'package.json': JSON.stringify({ engines: { node: gap }, scripts: { start: 'x' } }),
  });
  const analysis = detectApart(slow, never, 3_000);
  const failed = expect(analysis).rejects.toMatchObject({
    code: 'build_method_missing',
    message: expect.stringMatching(/did not end within 3 s.*Correct it, or add a Dockerfile/),
  });
  const from = performance.now();
  await pause(50);
  expect(performance.now() - from).toBeLessThan(1_000);
  await failed;
});

test('an abort ends the analysis at once', async () => {
  const { signal, abort } = withAbort();
  const analysis = detectApart(project({ 'go.mod': gap }), signal, 60_000);
  abort();
  await expect(analysis).rejects.toThrow('aborted by the user');
});

function withAbort() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort(new Error('aborted by the user')) };
}
