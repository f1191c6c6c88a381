/** What popular starters write into their scripts. */
import { expect, test } from 'vitest';
import { planOf, startOf } from '../plans.ts';

const project = (json: object, more: Record<string, string> = {}) => ({
  'package.json': JSON.stringify(json),
  ...more,
});

test.each(['start:prod', 'start:production', 'prod'])(
  'the script %s starts a project without a script start',
  async (name) => {
    const json = {
      main: 'index.ts',
      scripts: { build: 'tsup', [name]: 'node dist/index.js' },
      dependencies: { express: '5' },
    };
    expect(startOf(await planOf(project(json)))).toBe('node dist/index.js');
  },
);

test('a file of --env-file that the repository lacks is left out, because Node would refuse to start', async () => {
  const json = { scripts: { start: 'node --env-file=.env --enable-source-maps dist/index.js' } };
  expect(startOf(await planOf(project(json)))).toBe('node --enable-source-maps dist/index.js');
  expect(startOf(await planOf(project(json, { '.env': 'A=1' })))).toContain('--env-file=.env');
});

test.each([
  ['directly', { start: 'tsc && node dist/x.js', build: 'tsc' }],
  ['through another script', { start: 'npm run build && node dist/x.js', build: 'tsc' }],
  [
    'through scripts that call each other',
    { start: 'npm run a', a: 'npm run b', b: 'npm run a && tsc', build: 'x' },
  ],
])('development dependencies stay if the start command uses them %s', async (_, scripts) => {
  const plan = await planOf(project({ scripts, devDependencies: { typescript: '5' } }));
  const commands = plan.build.steps.flatMap((step) => (step.type === 'run' ? [step.command] : []));
  expect(commands.join('\n')).not.toContain('npm prune');
});

test('development dependencies stay if a script uses a program of the root of its workspace, by another name', async () => {
  const root = { scripts: { build: 'turbo build' }, devDependencies: { 'dotenv-cli': '10' } };
  const web = {
    name: 'web',
    scripts: { build: 'b', start: 'pnpm with-env node x.js', 'with-env': 'dotenv -e ../../.env --' },
  };
  const steps = async (json: object) =>
    JSON.stringify(
      (
        await planOf(
          project(json, {
            'pnpm-workspace.yaml': 'packages: ["apps/*"]',
            'pnpm-lock.yaml': "lockfileVersion: '9.0'",
            'apps/web/package.json': JSON.stringify(web),
          }),
        )
      ).build.steps,
    );
  expect(await steps(root)).not.toContain('--prod ');
  expect(await steps({ ...root, devDependencies: { prettier: '3' } })).toContain('--prod ');
});

test('development dependencies in the packages of a Bun workspace go, and compiled modules are made again', async () => {
  const files = {
    ...project({ workspaces: ['apps/*'], scripts: { prepare: 'husky' } }, { 'bun.lock': '' }),
    'apps/web/package.json':
      '{"name":"web","scripts":{"build":"b","start":"bun x"},"devDependencies":{"esbuild":"1"}}',
  };
  const last = async (more: Record<string, string> = {}) =>
    (await planOf({ ...files, ...more })).build.steps
      .flatMap((step) => (step.type === 'run' ? [step.command] : []))
      .at(-1);
  expect(await last()).toBe(
    "npm pkg delete scripts.prepare && rm -rf 'node_modules' 'apps/web/node_modules' && bun install --frozen-lockfile --production",
  );
  const prisma = {
    'apps/web/package.json': files['apps/web/package.json'].replace('"esbuild"', '"@prisma/client"'),
  };
  expect(await last(prisma)).not.toContain('--production');
});
