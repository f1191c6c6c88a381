/** What plans over popular repositories got wrong before, each in the fewest files that show it. */
import { describe, expect, test } from 'vitest';
import type { BuildPlan } from '../../../../../runner/builder/analyzer/build-plan.ts';
import { detect } from '../../../../../runner/builder/analyzer/detect.ts';
import { memoryFiles } from '../../../../support/runner/memory-files.ts';
import { overridesOf, planOf, startOf } from './plans.ts';

const commands = ({ build }: BuildPlan) =>
  build.steps.flatMap((step) => (step.type === 'run' ? [step.command] : []));

const envOf = ({ build }: BuildPlan) =>
  Object.assign({}, ...build.steps.map((step) => (step.type === 'env' ? step.values : {})));

const planBelow = (rootDir: string, files: Record<string, string>) =>
  detect(memoryFiles(files, rootDir), overridesOf());

describe('Go with code in C', () => {
  const planOfGo = (line: string, env = {}) =>
    planOf({ 'go.mod': `module x\n\nrequire ${line}\n`, 'main.go': 'package main' }, { env });

  test.each([
    'github.com/mattn/go-sqlite3 v1.14.4',
    'github.com/mattn/go-sqlite3 v1.14.15 // indirect',
    'gorm.io/driver/sqlite v1.6.0',
    'github.com/confluentinc/confluent-kafka-go/v2 v2.6.0',
  ])('%s is compiled with cgo, because it fails at run time without', async (line) => {
    expect(envOf(await planOfGo(line))).toMatchObject({ CGO_ENABLED: '1' });
    expect(envOf(await planOfGo(line, { CGO_ENABLED: '0' }))).toMatchObject({ CGO_ENABLED: '0' });
  });

  test('SQLite in plain Go needs no cgo', async () => {
    expect(envOf(await planOfGo('modernc.org/sqlite v1.39.0'))).toMatchObject({ CGO_ENABLED: '0' });
  });
});

test('a go.mod that lists tools alone does not make a Python app one of Go', async () => {
  const files = {
    'go.mod': 'module tools\n\ntool mvdan.cc/sh/v3/cmd/shfmt\n',
    'requirements.txt': 'flask\ngunicorn',
    'app.py': 'app = Flask(__name__)',
  };
  expect((await planOf(files)).provider).toBe('python');
  expect((await planOf({ ...files, 'cmd/web/main.go': 'package main' })).provider).toBe('go');
});

describe('Psycopg 3', () => {
  const packagesOf = async (requirement: string) => {
    const { build, output } = await planOf({ 'requirements.txt': requirement, 'main.py': '' });
    return { build: build.packages, run: output.type === 'run' && output.packages };
  };
  const compiled = { build: ['gcc', 'libc6-dev', 'libpq-dev'], run: ['libpq5'] };

  test.each([
    ['psycopg==3.3.4', { build: [], run: ['libpq5'] }],
    ['psycopg[pool]==3.3.4', { build: [], run: ['libpq5'] }],
    ['psycopg[c]==3.3.4', compiled],
    ['psycopg==3.3.4\npsycopg-c==3.3.4', compiled],
    ['psycopg[binary]==3.3.4', { build: [], run: [] }],
    ['psycopg2-binary==2.9.9', { build: [], run: [] }],
  ])('%s gets the client library of PostgreSQL that it needs', async (requirement, packages) => {
    expect(await packagesOf(requirement)).toEqual(packages);
  });
});

describe('a member of a workspace of uv, named by rootDir', () => {
  const files = {
    'pyproject.toml': '[tool.uv.workspace]\nmembers = ["backend"]\n',
    'uv.lock': 'name = "psycopg2"\n',
    'backend/pyproject.toml': '[project]\nname = "shop"\ndependencies = ["fastapi[standard]"]\n',
    'backend/app/main.py': 'app = FastAPI()',
  };

  test('is installed as the lock file of the workspace says', async () => {
    const plan = await planBelow('backend', files);
    expect(plan).toMatchObject({
      scope: 'repository',
      build: { packages: ['gcc', 'libc6-dev', 'libpq-dev'] },
      output: { directory: '/app/backend', packages: ['libpq5'] },
    });
    expect(commands(plan)).toContain('cd /app/backend && uv sync --locked --no-dev');
    expect(startOf(plan)).toContain('uvicorn app.main:app');
  });

  test('stands alone with a lock file of its own', async () => {
    const plan = await planBelow('backend', { ...files, 'backend/uv.lock': '' });
    expect(plan.scope).toBeUndefined();
    expect(commands(plan)).toContain('uv sync --locked --no-dev');
  });
});

describe('a .NET project named by rootDir', () => {
  const web = '<Project Sdk="Microsoft.NET.Sdk.Web">';
  const framework = '<TargetFramework>net9.0</TargetFramework>';

  test.each<[string, Record<string, string>]>([
    [
      'that uses projects beside it',
      {
        'src/Web/Web.csproj': `${web}${framework}<ProjectReference Include="..\\Defaults\\Defaults.csproj" />`,
      },
    ],
    [
      'whose versions are set above it',
      {
        'src/Web/Web.csproj': `${web}${framework}`,
        'Directory.Packages.props': '<PackageVersion Include="x" Version="1" />',
      },
    ],
    [
      'whose framework is set above it',
      { 'src/Web/Web.csproj': web, 'src/Directory.Build.props': framework },
    ],
  ])('%s is built with the whole repository', async (_, files) => {
    const plan = await planBelow('src/Web', files);
    expect(plan).toMatchObject({ scope: 'repository', build: { image: { version: '9.0' } } });
    expect(commands(plan)).toEqual([
      'cd /app/src/Web && dotnet publish Web.csproj --configuration Release --output /app/published -p:UseAppHost=false',
    ]);
  });

  test('that needs nothing above it is built alone', async () => {
    const plan = await planBelow('src/Web', { 'src/Web/Web.csproj': `${web}${framework}`, 'README.md': '' });
    expect(plan.scope).toBeUndefined();
  });
});

test("Symfony's assets are compiled for production, after the bundles that write some of them", async () => {
  const packages = ['symfony/framework-bundle', 'symfony/asset-mapper', 'symfonycasts/tailwind-bundle'];
  const composer = JSON.stringify({ require: Object.fromEntries(packages.map((name) => [name, '*'])) });
  const steps = commands(await planOf({ 'composer.json': composer, 'public/index.php': '' }));
  expect(steps.filter((step) => step.startsWith('php '))).toEqual([
    'php bin/console tailwind:build --minify',
    'php bin/console asset-map:compile',
  ]);
});

test('Deno starts with the feature flag of Deno 2 where a task has the general one of Deno 1', async () => {
  const tasks = { start: 'deno run -A --unstable --watch=routes/ dev.ts' };
  const plan = await planOf({ 'deno.json': JSON.stringify({ tasks }), 'main.ts': '' });
  expect(startOf(plan)).toContain('deno run --allow-all --unstable-kv main.ts');
});

test('Fresh is found in an import map beside the settings', async () => {
  const imports = { '$fresh/': 'https://deno.land/x/fresh@1.1.0/' };
  const files = { 'deno.json': '{}', 'import_map.json': JSON.stringify({ imports }), 'main.ts': '' };
  expect((await planOf(files)).framework).toBe('fresh');
});

test('AdonisJS whose pages are made with Vite starts the server that its build writes', async () => {
  const json = {
    dependencies: { '@adonisjs/core': '6' },
    devDependencies: { vite: '6' },
    scripts: { start: 'node bin/server.js', build: 'node ace build' },
  };
  const plan = await planOf({ 'package.json': JSON.stringify(json), 'vite.config.ts': '' });
  expect([plan.framework, startOf(plan)]).toEqual(['adonisjs', 'node build/bin/server.js']);
});

test('Next that starts its traced server is served with the files that the server does not copy', async () => {
  const json = {
    dependencies: { next: '15' },
    scripts: { start: 'node .next/standalone/server.js', build: 'next build' },
  };
  const { output } = await planOf({ 'package.json': JSON.stringify(json), 'public/a.svg': '' });
  expect(output).toMatchObject({
    start: 'node server.js',
    copies: [
      { from: '/app/.next/standalone/', to: '/app/' },
      { from: '/app/.next/static/', to: '/app/.next/static/' },
      { from: '/app/public/', to: '/app/public/' },
    ],
  });
});

test('a workspace of pnpm needs no package.json at its root', async () => {
  const plan = await planBelow('web', {
    'pnpm-workspace.yaml': 'packages: ["*"]',
    'pnpm-lock.yaml': "lockfileVersion: '9.0'",
    'web/package.json': '{"scripts":{"start":"node server.js"},"dependencies":{"express":"5"}}',
  });
  expect(plan).toMatchObject({ scope: 'repository', output: { directory: '/app/web' } });
  expect(plan.build.steps.filter(({ type }) => type === 'copy')).toEqual([{ type: 'copy', paths: ['.'] }]);
});

describe('A script start that serves during development', () => {
  const eleventy = { devDependencies: { '@11ty/eleventy': '3' }, build: 'npx @11ty/eleventy' };
  const next = { dependencies: { next: '15' }, build: 'next build' };
  const vite = { devDependencies: { vite: '6' }, build: 'vite build' };
  test.each<[string, { build: string }, Record<string, string>, string]>([
    ['of Eleventy', eleventy, { start: 'npx @11ty/eleventy --serve --quiet' }, 'site _site'],
    [
      'of Eleventy with variables',
      eleventy,
      { start: 'cross-env A=1 B="2 3" eleventy --serve' },
      'site _site',
    ],
    ['of Eleventy beside its styles', eleventy, { start: 'run-p serve watch:css' }, 'site _site'],
    ['of Next', next, { start: 'next dev', serve: 'next start' }, 'node server.js'],
    ['of Next, by another script', next, { start: 'npm run dev', dev: 'next dev --turbo' }, 'node server.js'],
    ['of Vite, by another script', vite, { start: 'yarn dev', dev: 'vite --port 3000' }, 'site dist'],
    ['that calls itself', vite, { start: 'npm run again', again: 'npm run start' }, 'npm run again'],
    ['that is none', vite, { start: 'npm run serve', serve: 'node server.js' }, 'npm run serve'],
  ])('%s, does not decide what is served', async (_, { build, ...json }, scripts, expected) => {
    const { output } = await planOf({
      'package.json': JSON.stringify({ ...json, scripts: { build, ...scripts } }),
    });
    expect(output.type === 'run' ? output.start : `site ${output.directory}`).toBe(expected);
  });
});
