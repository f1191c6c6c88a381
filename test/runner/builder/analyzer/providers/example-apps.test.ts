/** Shapes of example applications in several languages, each in as few files as decide about its plan. */
import { expect, test } from 'vitest';
import { planOf, startOf } from './plans.ts';

const packaged = (more = '') => ({
  'pyproject.toml': `[project]\nname = "shop-api"\ndependencies = []\n${more}\n[build-system]\nrequires = ["uv_build"]\n`,
  'src/shop_api/__init__.py': 'def main() -> None: ...',
});
const scripts = '[project.scripts]\nshop-api = "shop_api:main"';

test.each<[string, Record<string, string>]>([
  ['uv', { ...packaged(scripts), 'uv.lock': '' }],
  ['pip', packaged(scripts)],
  ['several scripts', packaged(`${scripts}\nshop-admin = "shop_api:admin"`)],
  [
    'Poetry',
    {
      'pyproject.toml':
        '[tool.poetry]\nname = "shop-api"\n[tool.poetry.scripts]\nshop-api = "shop_api:main"\n[build-system]\nrequires = ["poetry-core"]\n',
      'poetry.lock': '',
    },
  ],
])('a Python package starts by the script that it declares: %s', async (_, files) => {
  expect(startOf(await planOf(files))).toBe('shop-api');
});

test('a Python package is asked for its start if it declares no script, or several under other names', async () => {
  for (const more of ['', '[project.scripts]\na = "shop_api:a"\nb = "shop_api:b"']) {
    await expect(planOf(packaged(more))).rejects.toThrow('Nothing says how this Python app starts');
  }
  expect(startOf(await planOf({ ...packaged(scripts), 'main.py': '' }))).toBe('python main.py');
});

test.each([
  ['#!/bin/zsh', ['zsh']],
  ['#!/usr/bin/env fish', ['fish']],
  ['#!/bin/ksh -e', ['ksh']],
  ['#!/bin/bash', []],
  ['', []],
])('a script that begins with %j gets the shell that Debian leaves out', async (line, packages) => {
  const files = { 'start.sh': `${line}\nuname -m\n` };
  expect((await planOf(files)).output).toMatchObject({ packages });
  const built = await planOf(files, { buildCommand: './start.sh' });
  expect([built.build.packages, built.output]).toMatchObject([packages, { packages }]);
});

test.each([
  ['root: site\nindex_fallback: true', true],
  ['root: site\npushstate: enabled', true],
  ['root: site\npushstate: disabled', false],
  ['root: site', false],
])('a Staticfile says whether unknown paths get the first page: %j', async (text, spa) => {
  const files = { Staticfile: text, 'site/index.html': '' };
  expect((await planOf(files)).output).toMatchObject({ type: 'site', directory: 'site', spa });
  const env = { SPA_FALLBACK: 'false' };
  expect((await planOf(files, { env })).output).toMatchObject({ spa: false });
});

test('ExecJS gets a runtime for JavaScript, unless a gem brings one', async () => {
  const lock = (...gems: string[]) =>
    `GEM\n  remote: https://rubygems.org/\n  specs:\n${gems.map((gem) => `    ${gem} (1)\n`).join('')}`;
  const plan = (...gems: string[]) =>
    planOf({ Gemfile: 'gem "uglifier"', 'Gemfile.lock': lock(...gems), 'app.rb': '' });
  const { build, output } = await plan('execjs', 'uglifier');
  expect([build.packages, output]).toMatchObject([
    expect.arrayContaining(['nodejs']),
    { packages: ['nodejs'] },
  ]);
  expect((await plan('execjs', 'mini_racer')).output).toMatchObject({ packages: [] });
});
