/** Plans of sources from their files alone. */
import { expect, test } from 'vitest';
import { sourcePlanSchema } from '../../../../protocol/sources/source-plan.ts';
import { listedFiles } from '../../../../runner/builder/source-plan/listed-files.ts';
import { planSource } from '../../../../runner/builder/source-plan/plan-source.ts';

const repository = {
  branch: null,
  rootDir: null,
  branches: [],
  commitSha: null,
  commitMessage: null,
  digest: null,
};

async function planOf(texts: Record<string, string>, rootDir: string | null = null) {
  const plan = await planSource(listedFiles(Object.keys(texts), texts, rootDir));
  // What a host sends must fit into what the control plane takes.
  sourcePlanSchema.parse({ ...plan, ...repository });
  return plan;
}

const json = (value: unknown) => JSON.stringify(value);
const express = {
  'package.json': json({
    name: 'shop',
    scripts: { start: 'node server.js' },
    dependencies: { express: '5', pg: '8', ioredis: '5' },
  }),
  'package-lock.json': json({ lockfileVersion: 3, packages: {} }),
};

test('a plan names the variables of the example file and of the code, with their places and harmless examples', async () => {
  const plan = await planOf({
    ...express,
    '.env.example': [
      '# Where orders are kept',
      'DATABASE_URL=postgres://user:hunter2@localhost/shop',
      'STRIPE_KEY=sk_live_4eC39HqLyjWDarjtT1',
      'LOG_LEVEL=info',
      'MAX_ITEMS=50',
      'SESSION_SECRET=true',
    ].join('\n'),
    'server.js': [
      "import express from 'express';",
      'const cache = process.env.REDIS_URL;',
      'const key = process.env.STRIPE_KEY;',
      'express().listen(process.env.PORT ?? 3000);',
    ].join('\n'),
  });
  expect(plan.variables).toEqual([
    {
      key: 'DATABASE_URL',
      label: 'Where orders are kept',
      places: ['.env.example'],
      example: null,
      of: 'example',
    },
    { key: 'STRIPE_KEY', label: '', places: ['.env.example', 'server.js:3'], example: null, of: 'example' },
    { key: 'LOG_LEVEL', label: '', places: ['.env.example'], example: 'info', of: 'example' },
    { key: 'MAX_ITEMS', label: '', places: ['.env.example'], example: '50', of: 'example' },
    { key: 'SESSION_SECRET', label: '', places: ['.env.example'], example: null, of: 'example' },
    { key: 'REDIS_URL', label: '', places: ['server.js:2'], example: null, of: 'code' },
  ]);
  expect(plan.databases).toEqual([
    { engine: 'postgres', why: 'the example of DATABASE_URL is an address of it', key: 'DATABASE_URL' },
    { engine: 'redis', why: 'ioredis in package.json', key: 'REDIS_URL' },
  ]);
  expect(JSON.stringify(plan)).not.toMatch(/hunter2|sk_live/);
  expect(plan).toMatchObject({
    builtBy: 'analyzer',
    language: 'node',
    kind: 'web',
    port: null,
    warnings: [],
  });
});

test.each([
  [
    'JavaScript',
    'a.js',
    "process.env['A_KEY']; process.env.B_KEY; import.meta.env.VITE_C",
    'A_KEY B_KEY VITE_C',
  ],
  ['Deno', 'a.ts', 'Deno.env.get("A_KEY")', 'A_KEY'],
  [
    'Python',
    'a.py',
    'os.environ["A_KEY"]; os.getenv("B_KEY"); env.str("C_KEY"); environ.get("D")',
    'A_KEY B_KEY C_KEY',
  ],
  ['Ruby', 'a.rb', "ENV['A_KEY']; ENV.fetch('B_KEY') { 1 }", 'A_KEY B_KEY'],
  ['Go', 'a.go', 'os.Getenv("A_KEY"); os.LookupEnv("B_KEY")', 'A_KEY B_KEY'],
  ['Rust', 'a.rs', 'std::env::var("A_KEY"); env!("B_KEY")', 'A_KEY B_KEY'],
  ['PHP', 'a.php', "$_ENV['A_KEY']; getenv('B_KEY'); env('C_KEY', 1)", 'A_KEY B_KEY C_KEY'],
  ['Java', 'A.java', 'System.getenv("A_KEY")', 'A_KEY'],
  ['C#', 'a.cs', 'Environment.GetEnvironmentVariable("A_KEY")', 'A_KEY'],
  ['Elixir', 'a.exs', 'System.get_env("A_KEY"); System.fetch_env!("B_KEY")', 'A_KEY B_KEY'],
  ['Prisma', 'schema.prisma', 'url = env("A_KEY")', 'A_KEY'],
])(
  'the variables that %s reads are found, and those of the machine are not',
  async (_, path, text, expected) => {
    const machine = 'process.env.PATH process.env.NODE_ENV os.Getenv("HOME")';
    const { variables } = await planOf({ [path]: `${text}\n${machine}` });
    expect(
      variables
        .map(({ key }) => key)
        .sort()
        .join(' '),
    ).toBe(expected);
  },
);

test.each([
  ['a number in the code', { ...express, 'server.js': 'app.listen(3000)' }, 3000],
  ['a port of the environment', { ...express, 'server.js': 'app.listen(process.env.PORT || 3000)' }, null],
  [
    'the start command',
    {
      ...express,
      'package.json': json({ scripts: { start: 'next start -p 4000' }, dependencies: { next: '15' } }),
    },
    4000,
  ],
  [
    'EXPOSE',
    { Dockerfile: `FROM node:24 AS build\nEXPOSE 1\nFROM alpine\nARG PORT=5000\nEXPOSE \${PORT}/tcp 443` },
    5000,
  ],
  [
    'the code beside a Dockerfile that exposes nothing',
    { Dockerfile: 'FROM node:24', 'a.js': 'app.listen(6000)' },
    6000,
  ],
  ['EXPOSE of the stage below', { Dockerfile: 'FROM alpine AS base\nEXPOSE 7000\nFROM base' }, 7000],
  ['Python', { 'requirements.txt': 'flask\n', 'app.py': 'app.run(host="0.0.0.0", port=5055)' }, 5055],
  [
    'Go',
    {
      'go.mod': 'module x\n\ngo 1.24\n',
      'main.go': 'package main\nfunc main() { http.ListenAndServe(":9000", nil) }',
    },
    9000,
  ],
])('the port is read from %s', async (_, texts, port) => {
  const plan = await planOf(texts as Record<string, string>);
  expect([plan.port, plan.portReason === null]).toEqual([port, port === null]);
});

test('a Dockerfile says its arguments, volumes and user, and a broken one what is wrong', async () => {
  const plan = await planOf({
    Dockerfile: 'FROM debian\nARG API_URL\nARG MODE=fast\nVOLUME ["/data", "/cache"]\nUSER app',
  });
  expect(plan).toMatchObject({
    ...{ builtBy: 'dockerfile', dockerfilePath: 'Dockerfile', volumes: ['/data', '/cache'], user: 'app' },
    variables: [{ key: 'API_URL', places: ['Dockerfile:2'], of: 'dockerfile' }],
    obstacle: null,
  });
  const broken = await planOf({ Dockerfile: 'FROM debian\nRUNN make' });
  expect(broken.obstacle).toContain('"RUNN" is not an instruction');
});

test.each([
  ['a worker of a Procfile', { ...express, Procfile: 'worker: node work.js' }, 'worker'],
  ['a bot', { ...express, 'server.js': "import { Client } from 'discord.js';" }, 'worker'],
  ['a page', { 'index.html': '<h1>hello</h1>' }, 'static'],
  [
    'a server',
    { ...express, 'server.js': 'app.listen(3000)', Procfile: 'web: node server.js\nworker: node w.js' },
    'web',
  ],
])('%s is of its kind', async (_, texts, kind) => {
  expect((await planOf(texts as Record<string, string>)).kind).toBe(kind);
});

test('the folders of a monorepo that can be services are listed, and libraries and tests are not', async () => {
  const app = (name: string, more = {}) => json({ name, scripts: { start: 'node .' }, ...more });
  const texts = {
    'package.json': json({ private: true, workspaces: ['apps/*', 'packages/*'] }),
    'package-lock.json': json({ lockfileVersion: 3, packages: {} }),
    'apps/web/package.json': app('web', { scripts: { build: 'next build' }, dependencies: { next: '15' } }),
    'apps/api/package.json': app('api'),
    'apps/api/index.js': 'process.env.API_TOKEN',
    'packages/ui/package.json': json({ name: 'ui', main: 'index.js' }),
    'services/mail/Dockerfile': 'FROM debian',
    'tests/app/package.json': app('tests'),
  };
  const plan = await planOf(texts);
  expect(plan.folders).toEqual([
    { path: 'apps/api', what: 'node' },
    { path: 'apps/web', what: 'nextjs' },
    { path: 'services/mail', what: 'Dockerfile' },
  ]);
  expect(plan.variables).toEqual([]);
  const part = await planOf(texts, 'apps/api');
  expect(part.variables.map(({ key }) => key)).toEqual(['API_TOKEN']);
  expect(part.folders).toEqual(plan.folders);
});

test.each([
  [
    'a database in a file',
    {
      ...express,
      'package.json': json({ scripts: { start: 'node .' }, dependencies: { 'better-sqlite3': '11' } }),
    },
    'add a volume at /data',
  ],
  [
    'a missing lock file',
    { 'package.json': json({ scripts: { start: 'node .' }, dependencies: { a: '1' } }) },
    'commit package-lock.json',
  ],
  [
    'a program for Windows',
    { 'a.csproj': '<TargetFramework>net48</TargetFramework>' },
    'runs only on Windows',
  ],
  [
    'an image of Windows',
    { Dockerfile: 'FROM mcr.microsoft.com/windows/servercore:ltsc2022' },
    'hosts run Linux',
  ],
  ['submodules', { ...express, '.gitmodules': '[submodule "a"]' }, 'GIT_SUBMODULES'],
  ['large files', { ...express, '.gitattributes': '*.bin filter=lfs' }, 'GIT_LFS'],
])('%s is warned of, with a way out', async (_, texts, words) => {
  expect((await planOf(texts as Record<string, string>)).warnings.join('\n')).toContain(words);
});

test('a source that nothing can build says why, and which folders could be built', async () => {
  const plan = await planOf({
    'README.md': '',
    'backend/package.json': json({ scripts: { start: 'node .' } }),
  });
  expect(plan.obstacle).toContain('set rootDir to backend');
  expect(plan.folders).toEqual([{ path: 'backend', what: 'node' }]);
});

test('hostile files make a plan within its bounds', async () => {
  const long = 'A'.repeat(5_000);
  const plan = await planOf({
    'package.json': json({
      scripts: { start: `node ${long}` },
      dependencies: { [long]: '1', __proto__: '1' },
    }),
    '.env.example': Array.from({ length: 500 }, (_, at) => `KEY_${at}=${long}`).join('\n'),
    [`${'d/'.repeat(40)}${long}.js`]: 'process.env.DEEP',
    'a.js': Array.from({ length: 500 }, (_, at) => `process.env.CODE_${at}`).join('\n'),
    Procfile: `web: ${long}\nrelease: ${long}`,
  });
  expect(plan.variables).toHaveLength(100);
});
