/**
 * `npm run restore`: creates SQL from a dump of the control plane's database, for a new D1 on Cloudflare, or puts the dump into the
 * embedded database. The previous database is moved aside.
 */
import { once } from 'node:events';
import { createWriteStream, existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type Wrangler, wranglerIn } from '../cloudflare/wrangler.ts';
import { dataDirectory } from '../instance/data-directory.ts';
import { takeLock } from '../instance/instance-lock.ts';
import type { RestoreOptions } from '../options.ts';
import type { Output } from '../output.ts';
import { type EmbeddedStore, openEmbeddedStore } from './embedded-store.ts';
import { keepOnly } from './keep-only.ts';
import { manifestName, parseManifest, partName, readDump } from './read-dump.ts';
import { rebuild } from './rebuild.ts';
import { sqlStatements } from './sql-statements.ts';

const bucketName = 'longshore-blobs';

type Fetch = (name: string, path: string) => Promise<void>;

/** @returns the exit code. @throws StartError `restore`, `already_running`, `cloudflare` */
export async function restore(projectRoot: string, options: RestoreOptions, output: Output): Promise<number> {
  const data = dataDirectory(options.data);
  const directory = options.from ?? join(data.root, 'dumps', options.dump ?? '');
  if (options.from === undefined && options.place === 'cloudflare') {
    const wrangler = wranglerIn(projectRoot, process.env);
    await output.step('dump', () => fetchDump(directory, fromR2(wrangler, options.dump ?? '')));
  }
  if (options.place !== 'local') {
    const file = await output.step('SQL', () => writeSql(directory, options.only, output));
    tellCloudflare(file, options.only, output);
    return 0;
  }
  const lock = await takeLock(data.root);
  try {
    if (options.from === undefined) {
      await output.step('dump', () =>
        withStore(data.controlPlane, (store) =>
          fetchDump(directory, async (name, path) =>
            writeFile(path, await store.read(`dumps/${options.dump}/${name}`), { mode: 0o600 }),
          ),
        ),
      );
    }
    await output.step('database', () => load(data.controlPlane, directory, options.only, output));
  } finally {
    lock.release();
  }
  output.box([
    'The database is that of the dump. Next, so that the hosts accept it (docs/operate/recovery.md):',
    '  npm start -- --paused',
  ]);
  return 0;
}

async function withStore<T>(controlPlane: string, work: (store: EmbeddedStore) => Promise<T>): Promise<T> {
  const store = await openEmbeddedStore(controlPlane);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Fetches the manifest first: without it, the dump is not complete. */
async function fetchDump(directory: string, fetch: Fetch): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await fetch(manifestName, join(directory, manifestName));
  const { parts } = parseManifest(await readFile(join(directory, manifestName), 'utf8'));
  for (let part = 1; part <= parts; part++) await fetch(partName(part), join(directory, partName(part)));
}

const fromR2 =
  (wrangler: Wrangler, dump: string): Fetch =>
  async (name, path) => {
    const object = `${bucketName}/dumps/${dump}/${name}`;
    await wrangler.run(['r2', 'object', 'get', object, '--remote', '--file', path]);
  };

/** Reads and rebuilds the dump. @returns its statements */
async function statementsOf(directory: string, only: string | undefined, output: Output) {
  const { manifest, groups } = await readDump(directory);
  const { database, leftOut } = rebuild(manifest, groups);
  output.say(`${manifest.rows} rows of ${manifest.startedAt}`);
  for (const [table, rows] of Object.entries(leftOut)) {
    output.say(`${rows} rows of ${table} do not fit to the others and were left out`);
  }
  return only === undefined ? sqlStatements(manifest, database) : keepOnly(manifest, database, only);
}

async function writeSql(directory: string, only: string | undefined, output: Output): Promise<string> {
  const file = join(resolve(directory), only === undefined ? 'restore.sql' : `${only}.sql`);
  const statements = await statementsOf(directory, only, output);
  const stream = createWriteStream(file, { mode: 0o600 });
  for (const statement of statements) {
    if (!stream.write(`${statement};\n`)) await once(stream, 'drain');
  }
  stream.end();
  await once(stream, 'finish');
  return file;
}

async function load(
  controlPlane: string,
  directory: string,
  only: string | undefined,
  output: Output,
): Promise<void> {
  const statements = await statementsOf(directory, only, output);
  const files = join(controlPlane, 'd1');
  if (only === undefined && existsSync(files)) {
    const aside = join(dirname(files), `d1-before-${new Date().toISOString().replaceAll(/[:.]/g, '')}`);
    await rename(files, aside);
    output.say(`the database before is in ${aside}`);
  }
  await withStore(controlPlane, (store) => store.execute(statements));
}

function tellCloudflare(file: string, only: string | undefined, output: Output): void {
  const execute = `  npx wrangler d1 execute longshore --remote --file ${file}`;
  const add = ['Add the rows to the database:', execute];
  const fill = [
    'Put it into an empty database, then install (docs/operate/recovery.md):',
    '  npx wrangler d1 create longshore --location weur',
    execute,
    '  npm run cloudflare',
  ];
  output.box(only === undefined ? fill : add);
}
