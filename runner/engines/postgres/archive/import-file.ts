/** Imports a dump created by a user with `pg_dump -Fc`, or a backup of another Longshore. */
import type { ArchiveFile, Contents, DataPlace, LoadedData } from '../../archive/archive.ts';
import {
  firstBytes,
  type InPlaceFileImport,
  isGzip,
  refuseFile,
  type SeenFile,
} from '../../archive/file-import.ts';
import { ImportRefusal } from '../../archive/import-refusal.ts';
import { piecesWithProgress } from '../../archive/read-with-progress.ts';
import { runTool } from '../../archive/run-tool.ts';
import { databaseOf } from '../client-config.ts';
import { withMaintenance } from './beside.ts';
import { countAll } from './count.ts';
import { readDatabases } from './database-facts.ts';
import { loadOne } from './load.ts';
import { sumOf } from './manifest.ts';
import type { RestoreHooks } from './plan.ts';
import { checkServer, isServerBackup, loadServer } from './restore.ts';
import { checkDump, runRestore, toolEnvironment } from './tools.ts';
import { withClient } from './with-client.ts';

const wanted = 'a custom-format dump of pg_dump: make it with pg_dump -Fc';
/** https://github.com/postgres/postgres/blob/REL_17_STABLE/src/bin/pg_dump/pg_backup_archiver.c */
const dumpMagic = 'PGDMP';
const headBytes = 300;
/** Leaves out everything that belongs to another server or connects to one. */
const leftOut = [
  ...['--no-owner', '--no-privileges', '--no-tablespaces'],
  ...['--no-subscriptions', '--no-security-labels'],
];

export function fileImportWith(hooks: RestoreHooks): InPlaceFileImport {
  return {
    contents: (place) => withClient(place, undefined, countAll),
    async inspect(place, file, { continueOnError = false } = {}) {
      const head = await firstBytes(file, headBytes);
      if (isServerBackup(head)) return inspectBackup(place, file, { hooks, continueOnError });
      refuseOther(head);
      await refuseForeign(place, await listOf(place, file));
      await checkDump(place, file.pieces());
      return {
        source: null,
        load: (live, names) =>
          skippingIf(continueOnError, (skipped) =>
            loadOne(live, names, hooks, (fresh) =>
              runRestore(live, fresh, piecesWithProgress(file, live), leftOut, skipped),
            ),
          ),
      };
    },
  };
}

/** A Longshore backup of a whole server. It is loaded like a restore into another service, with its roles. */
async function inspectBackup(
  place: DataPlace,
  file: ArchiveFile,
  { hooks, continueOnError }: { hooks: RestoreHooks; continueOnError: boolean },
): Promise<SeenFile> {
  const { manifest, ...source } = await checkServer(place, file);
  const names = [databaseOf(place.env), ...manifest.databases.slice(1).map(({ name }) => name)];
  return {
    source,
    replaced: (live) => countNamed(live, names),
    load: (live, restoreNames) =>
      skippingIf(continueOnError, (skipped) => loadServer(live, file, restoreNames, { hooks, skipped })),
  };
}

async function skippingIf(
  continueOnError: boolean,
  load: (skipped: string[] | undefined) => Promise<LoadedData>,
): ReturnType<SeenFile['load']> {
  if (!continueOnError) return load(undefined);
  const skipped: string[] = [];
  return { ...(await load(skipped)), skipped };
}

/** Counts the named databases that exist in this server. */
async function countNamed(place: DataPlace, names: readonly string[]): Promise<Contents> {
  const all = await withMaintenance(place, readDatabases);
  const counts: Contents[] = [];
  for (const { name } of all) if (names.includes(name)) counts.push(await withClient(place, name, countAll));
  return sumOf(counts);
}

function refuseOther(head: Buffer): void {
  const text = head.toString('latin1');
  if (text.startsWith(dumpMagic)) return;
  if (isGzip(head)) throw refuseFile(wanted, 'compressed by gzip');
  if (/^-- PostgreSQL database (cluster )?dump/m.test(text)) throw refuseFile(wanted, 'plain SQL');
  if (text.startsWith('toc.dat')) throw refuseFile(wanted, 'a dump in the format tar');
  throw refuseFile(wanted);
}

/** The table of contents in the output of the server's own tool. Comments begin with a semicolon. */
const listOf = (place: DataPlace, file: ArchiveFile) =>
  runTool(place, ['pg_restore', '--list'], {
    env: toolEnvironment(place.env, databaseOf(place.env)),
    stdin: file.pieces(),
  });

/** Checks the whole list before any data is loaded, and reports all missing extensions at once. */
async function refuseForeign(place: DataPlace, list: string): Promise<void> {
  const [own, known] = await withClient(place, undefined, async (client) => {
    const { rows: names } = await client.query<{ name: string }>('SELECT name FROM pg_available_extensions');
    const { rows: versions } = await client.query<{ version: string }>(
      "SELECT current_setting('server_version') AS version",
    );
    return [versions[0]?.version ?? '', new Set(names.map(({ name }) => name))] as const;
  });
  const from = /^;\s+Dumped from database version: (\d\S*)/m.exec(list)?.[1] ?? '';
  if (Number.parseInt(from, 10) > Number.parseInt(own, 10))
    throw new ImportRefusal(
      `The dump is of PostgreSQL ${from}, and this database runs ${own}: only a server of the same or a later major version can load it.`,
    );
  const used = [...list.matchAll(/^\d+; \d+ \d+ EXTENSION - (\S+)/gm)].map(([, name = '']) => name);
  const missing = used.filter((name) => !known.has(name));
  if (missing.length > 0)
    throw new ImportRefusal(
      `The dump uses extensions that this database does not have: ${missing.join(', ')}. Drop them there, or use another image.`,
    );
}
