/** What keeps the steps of ONBUILD triggers of one project apart from those of another. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createBuildScope, scopeHost } from '../../../runner/builder/build-scope.ts';
import { parseDockerfile } from '../../../runner/builder/dockerfile/parse.ts';

const scopeOf = createBuildScope(mkdtempSync(join(tmpdir(), 'build-scope-')));
const hostOf = (project: string, text: string, triggers: string[] = []) =>
  scopeHost(scopeOf(project), parseDockerfile(Buffer.from(text)), new Map([['node:24', { triggers }]]));

test('a build without triggers has no host name of its project, so its layers keep their keys', () => {
  expect(hostOf('prj_one', 'FROM node:24\nRUN npm ci')).toBeUndefined();
});

test.each([
  ['of the base image', 'FROM node:24', ['RUN npm ci']],
  ['of a stage', 'FROM node:24 AS base\nONBUILD RUN npm ci\nFROM base', []],
])('steps of triggers %s are the same for a project only', (_, text, triggers) => {
  const host = hostOf('prj_one', text, triggers);
  expect(host).toMatch(/^[0-9a-f]{32}\.longshore\.invalid$/);
  expect(hostOf('prj_one', text, triggers)).toBe(host);
  expect(hostOf('prj_two', text, triggers)).not.toBe(host);
});
