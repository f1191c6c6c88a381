/** Packages of npm that need a package of Debian. */
import { expect, test } from 'vitest';
import { planOf } from '../plans.ts';

async function debianPackages(json: object, more: Record<string, string> = {}, rootDir?: string) {
  const files = { 'package.json': JSON.stringify(json), 'package-lock.json': '', ...more };
  const { build, output } = await planOf(files, {}, rootDir);
  return { build: build.packages, run: output.type === 'run' ? output.packages : null };
}

const scripts = { build: 'tsc', start: 'node .' };
const openssl = { build: ['openssl'], run: ['openssl'] };
const compiler = ['g++', 'make', 'python3'];

test.each<[string, object, { build: string[]; run: string[] | null }]>([
  ['no such package', { express: '5' }, { build: [], run: [] }],
  ['@prisma/client', { '@prisma/client': '6' }, openssl],
  ['prisma', { prisma: '7' }, openssl],
  ['both', { '@prisma/client': '6', prisma: '6' }, openssl],
  ['pg-native', { 'pg-native': '3' }, { build: [...compiler, 'libpq-dev'], run: ['libpq5'] }],
  ['node-pty', { 'node-pty': '1' }, { build: compiler, run: [] }],
])('%s gets what it needs from Debian', async (_, dependencies, expected) => {
  expect(await debianPackages({ scripts, dependencies })).toEqual(expected);
  expect(await debianPackages({ scripts, devDependencies: dependencies })).toEqual(expected);
});

test('a site that reads a database while it is built needs Prisma there only', async () => {
  const json = { scripts: { build: 'vite build' }, devDependencies: { vite: '7', prisma: '6' } };
  expect(await debianPackages(json)).toEqual({ build: ['openssl'], run: null });
});

test('a package of the workspace that the app uses counts, and another does not', async () => {
  const files = (dependency: string) => ({
    'apps/web/package.json': JSON.stringify({ name: 'web', scripts, dependencies: { [dependency]: '*' } }),
    'packages/db/package.json': '{"name":"db","dependencies":{"@prisma/client":"6"}}',
    'packages/ui/package.json': '{"name":"ui"}',
  });
  const root = { workspaces: ['apps/*', 'packages/*'] };
  expect(await debianPackages(root, files('db'), 'apps/web')).toEqual(openssl);
  expect(await debianPackages(root, files('ui'), 'apps/web')).toEqual({ build: [], run: [] });
});
