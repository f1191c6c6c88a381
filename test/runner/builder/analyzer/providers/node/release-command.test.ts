/** A release command runs in the final image, which has the development dependencies that the command uses. */
import { describe, expect, test } from 'vitest';
import { planOf } from '../plans.ts';

const locks: Readonly<Record<string, Record<string, string>>> = {
  npm: { 'package-lock.json': '' },
  pnpm: { 'pnpm-lock.yaml': "lockfileVersion: '9.0'" },
  'Yarn 1': { 'yarn.lock': '# yarn lockfile v1' },
  'Yarn 4': { 'yarn.lock': '__metadata:\n  version: 8\n' },
  bun: { 'bun.lock': '{}' },
};
const removes = /--omit=dev|--prod(uction)?(\s|$)|workspaces focus|npm prune/;

/** The install and prune steps that leave out development dependencies. */
async function removals(json: object, releaseCommand: string | null, files: Record<string, string>) {
  const { build } = await planOf({ 'package.json': JSON.stringify(json), ...files }, { releaseCommand });
  return build.steps.flatMap((step) =>
    step.type === 'run' && removes.test(step.command) ? [step.command] : [],
  );
}

const scripts = { build: 'tsc', start: 'node dist/main.js', migrate: 'drizzle-kit migrate' };
const devDependencies = {
  'drizzle-kit': '1',
  prisma: '7',
  typeorm: '1',
  'ts-node': '10',
  knex: '3',
  'sequelize-cli': '6',
  '@mikro-orm/cli': '6',
  tsx: '4',
};

describe.each(Object.entries(locks))('%s', (name, lock) => {
  test('development dependencies are removed without a release command, and with one that uses none', async () => {
    const json = { scripts, devDependencies };
    for (const command of [null, 'node dist/migrate.js', 'npx prettier-plugin']) {
      expect(await removals(json, command, lock), String(command)).toHaveLength(1);
    }
  });

  test.each([
    'npx drizzle-kit migrate',
    'npx --no-install drizzle-kit@1 migrate',
    'npm run migrate',
    'pnpm migrate',
    'yarn migrate',
    'bun run migrate',
    'bunx drizzle-kit migrate',
    'pnpm exec prisma migrate deploy',
    'node_modules/.bin/prisma migrate deploy && node dist/seed.js',
    './node_modules/.bin/typeorm migration:run -d dist/data-source.js',
    'node ./node_modules/typeorm/cli.js migration:run -d dist/data-source.js',
    'npx typeorm-ts-node-commonjs migration:run -d src/data-source.ts',
    'yarn knex migrate:latest',
    'npx sequelize db:migrate',
    'npx mikro-orm migration:up',
    'node --import tsx scripts/migrate.ts',
  ])('they stay for %s', async (command) => {
    expect(await removals({ scripts, devDependencies }, command, lock), name).toEqual([]);
    // A package without a build is installed in one step.
    const plain = { scripts: { start: 'node .', migrate: scripts.migrate }, devDependencies };
    expect(await removals(plain, command, lock), name).toEqual([]);
  });
});

test.each<[string, string, Record<string, string>]>([
  ['knex migrate:latest', 'knex', { 'knexfile.ts': '' }],
  ['mikro-orm migration:up', '@mikro-orm/cli', { 'src/mikro-orm.config.ts': '' }],
  ['typeorm migration:run -d src/data-source.ts', 'typeorm', {}],
])('a loader of TypeScript stays for "%s", whose program is a dependency', async (command, tool, files) => {
  const json = { scripts, dependencies: { [tool]: '1' }, devDependencies: { 'ts-node': '10' } };
  expect(await removals(json, command, { ...locks.npm, ...files })).toEqual([]);
  const compiled = command.replace('src/data-source.ts', 'dist/data-source.js');
  expect(await removals(json, compiled, { ...locks.npm })).toHaveLength(1);
  // Node itself reads TypeScript.
  expect(await removals(json, 'node src/migrate.ts', { ...locks.npm, ...files })).toHaveLength(1);
});
