import { expect, test } from 'vitest';
import { databaseFileNote } from '../../../runner/builder/database-files.ts';
import { memoryFiles } from '../../support/runner/memory-files.ts';

const spec = { serviceSlug: 'web', runtimeMode: 'web' as const };
const noteOf = (files: Record<string, string>, env: Record<string, string> = {}, more = {}) =>
  databaseFileNote({ ...spec, ...more }, env, memoryFiles(files));
const driver = { 'package.json': '{"dependencies":{"better-sqlite3":"12"}}' };

test.each<[string, Record<string, string>]>([
  ['better-sqlite3 in package.json', driver],
  ['sqlite in prisma/schema.prisma', { 'prisma/schema.prisma': 'datasource db {\n  provider = "sqlite"\n}' }],
  [
    'django.db.backends.sqlite3 in shop/settings.py',
    { 'shop/settings.py': "'ENGINE': 'django.db.backends.sqlite3'" },
  ],
  ['import sqlite3 in flaskr/db.py', { 'flaskr/db.py': 'import sqlite3\n' }],
  ['sqlite3 in Gemfile', { Gemfile: 'gem "sqlite3", ">= 2.1"\n' }],
  ['go-sqlite3 in go.mod', { 'go.mod': 'require github.com/mattn/go-sqlite3 v1.14.28\n' }],
  ['rusqlite in Cargo.toml', { 'Cargo.toml': '[dependencies]\nrusqlite = "0.36"\n' }],
  [
    'sqlite in config/database.php',
    { 'config/database.php': "'default' => env('DB_CONNECTION', 'sqlite')," },
  ],
  ['node:sqlite in src/db.ts', { 'src/db.ts': "import { DatabaseSync } from 'node:sqlite';" }],
  ['the file data/app.sqlite', { 'data/app.sqlite': 'SQLite format 3' }],
])('%s is warned of at the first deployment, with the command that adds a volume', (where, files) => {
  expect(noteOf(files)).toBe(
    `Warning: the app seems to keep a database in a file (${where}), and the service has no volume, so the data is lost with the next version, and what a release command writes is lost before the app starts. Keep it in a volume, and set the path of the file to /data: longshore volumes create data /data -s web`,
  );
});

test.each([
  ['DATABASE_URL', 'file:/var/lib/app/app.db', '/var/lib/app'],
  ['DATABASE_URL', 'file:./data/app.db?cache=shared', '/app/data'],
  ['DATABASE_URL', 'sqlite:////srv/db/app.db', '/srv/db'],
  ['SQLALCHEMY_DATABASE_URI', 'sqlite:///instance/app.db', undefined],
  ['SPRING_DATASOURCE_URL', 'jdbc:h2:file:/srv/h2/app', '/srv/h2'],
  ['DATABASE_URL', 'file:dev.db', undefined],
])('%s=%s is warned of, also for an image', (key, value, directory) => {
  const note = databaseFileNote(spec, { [key]: value }, undefined) ?? '';
  expect(note).toContain(`(the variable ${key})`);
  expect(note).toMatch(new RegExp(`volumes create data ${directory ?? '/data'} -s web$`));
});

test.each<[string, Record<string, string>, Record<string, string>, object]>([
  ['a service with a volume', driver, {}, { volumes: [{ name: 'data', mountPath: '/data' }] }],
  ['a later deployment', driver, {}, { keptDeployments: ['dep_0123456789abcdef'] }],
  ['a static site', driver, {}, { runtimeMode: 'static' }],
  ['an app with a database server', driver, { DATABASE_URL: 'postgres://a:b@db:5432/app' }, {}],
  ['an app with the host of one', driver, { DB_HOST: 'db' }, {}],
  ['a database in memory', {}, { DATABASE_URL: 'sqlite::memory:' }, {}],
  ['a driver for tests', { 'package.json': '{"devDependencies":{"sqlite3":"5"}}' }, {}, {}],
  ['code of tests', { 'tests/test_db.py': 'import sqlite3' }, {}, {}],
  ['a file that is no database', {}, { TLS_KEY: 'file:/etc/tls/key.pem' }, {}],
  ['an app without one', { 'package.json': '{"dependencies":{"express":"5"}}' }, {}, {}],
])('%s is not warned of', (_, files, env, more) => {
  expect(noteOf(files, env, more)).toBeUndefined();
});
