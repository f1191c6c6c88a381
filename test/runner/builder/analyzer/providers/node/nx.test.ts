import { describe, expect, test } from 'vitest';
import type { BuildPlan } from '../../../../../../runner/builder/analyzer/build-plan.ts';
import { detect } from '../../../../../../runner/builder/analyzer/detect.ts';
import { memoryFiles } from '../../../../../support/runner/memory-files.ts';
import { overridesOf, startOf } from '../plans.ts';

const workspace = {
  'package.json': '{"scripts":{"start":"nx serve"},"devDependencies":{"nx":"22"}}',
  'nx.json': '{}',
  'package-lock.json': '',
};

const app = (build: object, name = 'web') =>
  JSON.stringify({ name, projectType: 'application', targets: { build } });

const planOf = (files: Record<string, string>, directory?: string): Promise<BuildPlan> =>
  detect(memoryFiles({ ...workspace, ...files }, directory), overridesOf());

const builds = (plan: BuildPlan) =>
  plan.build.steps.flatMap((step) =>
    step.type === 'run' && step.command.includes('nx run') ? [step.command] : [],
  );

describe.each([
  ['named by rootDir', 'apps/web', 'repository'],
  ['the only application', undefined, 'service'],
])('an app of an Nx workspace without a package.json, %s', (_, directory, scope) => {
  const files = (build: object, more: Record<string, string> = {}) => ({
    'apps/web/project.json': app(build),
    'apps/web-e2e/project.json': app({}, 'web-e2e'),
    'libs/ui/project.json': '{"name":"ui","projectType":"library"}',
    ...more,
  });

  test.each([
    [
      'webpack',
      { executor: '@nx/webpack:webpack', options: { target: 'node', outputPath: 'dist/apps/web' } },
      'main.js',
    ],
    [
      'esbuild',
      { executor: '@nx/esbuild:esbuild', options: { outputPath: 'dist/apps/web', format: ['cjs'] } },
      'main.cjs',
    ],
    ['the compiler', { executor: '@nx/js:tsc', options: { main: 'apps/web/src/index.ts' } }, 'src/index.js'],
  ])('runs what %s writes', async (_tool, build, file) => {
    const plan = await planOf(files(build), directory);
    expect(plan).toMatchObject({ scope, framework: 'nx', output: { directory: '/app/apps/web' } });
    expect(startOf(plan)).toBe(`node ../../dist/apps/web/${file}`);
    expect(builds(plan)).toEqual(['NX_DAEMON=false node_modules/.bin/nx run web:build']);
  });

  test.each([
    [
      'Vite',
      {
        executor: '@nx/vite:build',
        outputs: ['{options.outputPath}'],
        options: { outputPath: 'dist/apps/web' },
      },
      'dist/apps/web',
    ],
    [
      'Angular',
      { executor: '@angular/build:application', options: { outputPath: 'dist/apps/web' } },
      'dist/apps/web/browser',
    ],
  ])('serves the files that %s writes', async (_tool, build, output) => {
    expect((await planOf(files(build), directory)).output).toEqual({
      type: 'site',
      directory: output,
      spa: true,
    });
  });

  test.each([
    ['vite.config.mts', "outDir: '../../dist/apps/web'", { directory: 'dist/apps/web' }],
    ['vite.config.ts', '', { directory: 'apps/web/dist' }],
    [
      'webpack.config.js',
      "target: 'node', path: join(__dirname, '../../dist/apps/web')",
      { start: 'node ../../dist/apps/web/main.js' },
    ],
    ['next.config.js', '', { start: 'next start' }],
  ])('follows %s, where project.json names no executor', async (config, text, output) => {
    expect((await planOf(files({}, { [`apps/web/${config}`]: text }), directory)).output).toMatchObject(
      output,
    );
  });
});

test('Nx builds the production configuration, if it is not the default', async () => {
  const build = { executor: '@nx/vite:build', configurations: { production: {} } };
  expect(builds(await planOf({ 'apps/web/project.json': app(build) }))[0]).toContain('web:build:production');
  const isDefault = { ...build, defaultConfiguration: 'production' };
  expect(builds(await planOf({ 'apps/web/project.json': app(isDefault) }))[0]).toMatch(/web:build$/);
});

test('several applications of an Nx workspace are refused with their directories', async () => {
  const files = { 'apps/web/project.json': app({}), 'apps/api/project.json': app({}, 'api') };
  await expect(planOf(files)).rejects.toThrow('set rootDir to one of apps/api, apps/web');
});

test('an Nx application at the root starts what it built, not the development server', async () => {
  const build = { executor: '@nx/esbuild:esbuild', options: { outputPath: 'dist/api', main: 'src/main.ts' } };
  expect(startOf(await planOf({ 'project.json': app(build, 'api') }))).toBe('node dist/api/main.js');
});

test('an Nx workspace with packages is installed with its whole source, because all of them are in the lock file', async () => {
  const files = {
    'package.json': '{"workspaces":["apps/*","libs/*/*"],"devDependencies":{"nx":"22"}}',
    'apps/web/project.json': app({ executor: '@nx/vite:build' }),
    'libs/shared/ui/package.json': '{"name":"ui"}',
  };
  const steps = (await planOf(files)).build.steps.map((step) =>
    step.type === 'copy' ? step.paths : step.type,
  );
  expect(steps.slice(0, 2)).toEqual([['.'], 'run']);
});
