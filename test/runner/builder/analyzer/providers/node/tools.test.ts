/** Programs that commands of an app call, which npm installs beside the app. */
import { expect, test } from 'vitest';
import type { BuildPlan } from '../../../../../../runner/builder/analyzer/build-plan.ts';
import type { BuildOverrides } from '../../../../../../runner/builder/analyzer/provider.ts';
import { planOf } from '../plans.ts';

const project = (json: object, more: Record<string, string> = {}) => ({
  'package.json': JSON.stringify(json),
  ...more,
});

const installedTools = ({ build }: BuildPlan) =>
  build.steps.flatMap((step) =>
    step.type === 'run' && step.command.includes(' --global ')
      ? [step.command.replace(/.* --no-fund /, '').replace(/ && rm .*/, '')]
      : [],
  );

test.each<[string, Record<string, string>, Partial<BuildOverrides>]>([
  ['the scripts', { build: 'TOOL build src/main.ts', start: 'TOOL run main.ts' }, {}],
  ['scripts that these call', { build: 'npm run a', a: 'run-s b', b: 'TOOL x', start: 'npm run b' }, {}],
  ['the start command', { start: 'node .' }, { startCommand: 'TOOL x' }],
  ['the release command', { start: 'node .', migrate: 'TOOL x' }, { releaseCommand: 'npm run migrate' }],
])('programs of other package managers are installed where %s call them', async (_, scripts, overrides) => {
  const named = (text: string, tool: string) => JSON.parse(text.replaceAll('TOOL', tool));
  const expected = { pnpm: 'pnpm@10', yarn: 'yarn@1', bunx: 'bun@latest', deno: 'deno@latest' };
  for (const [tool, name] of Object.entries(expected)) {
    const json = { scripts: named(JSON.stringify(scripts), tool) };
    const found = await planOf(
      project(json, { 'package-lock.json': '' }),
      named(JSON.stringify(overrides), tool),
    );
    expect(installedTools(found), tool).toEqual([name]);
    expect(found.output).toMatchObject({
      copies: expect.arrayContaining([{ from: '/opt/tools', to: '/opt/tools' }]),
    });
  }
});

test('a Yarn that the repository contains gets a program "yarn" where a command of the app calls it', async () => {
  const berry = {
    '.yarnrc.yml': 'yarnPath: .yarn/releases/yarn-4.9.0.cjs\n',
    '.yarn/releases/yarn-4.9.0.cjs': '',
    'yarn.lock': '__metadata:\n  version: 8\n',
  };
  const json = { scripts: { build: 'tsc', start: 'node .', migrate: 'knex migrate:latest' } };
  expect(installedTools(await planOf(project(json, berry)))).toEqual([]);
  expect(installedTools(await planOf(project(json, berry), { releaseCommand: 'yarn migrate' }))).toEqual([
    'yarn@1',
  ]);
});
