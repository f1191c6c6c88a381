/**
 * The layout of a backup: a tar with `manifest.json`, `globals.sql` for `psql`, the custom-format dump of each database in parts, and
 * `counts.json`, which comes last: a file without it is incomplete.
 */
import type { Readable } from 'node:stream';
import { z } from 'zod';
import { messageOf } from '../../../base/logger.ts';
import type { Contents } from '../../archive/archive.ts';
import { listOf, readDescription } from '../../archive/description.ts';
import { TarReader } from '../../archive/tar-file.ts';
import { EngineError } from '../../engine-error.ts';
import { databaseFactsSchema } from './database-facts.ts';
import { extensionSchema } from './extensions.ts';
import { roleSchema } from './roles.ts';

export const manifestName = 'manifest.json';
export const globalsName = 'globals.sql';
export const countsName = 'counts.json';

const savedDatabaseSchema = databaseFactsSchema.extend({ extensions: listOf(extensionSchema) });
export type SavedDatabase = z.infer<typeof savedDatabaseSchema>;

const manifestSchema = z.object({
  format: z.literal('longshore-postgres-1'),
  /** `server_version_num`. */
  serverVersion: z.int(),
  /** POSTGRES_USER of the service, a superuser. */
  user: z.string(),
  /** The service's own database is the first. */
  databases: listOf(savedDatabaseSchema).refine((all) => all.length > 0, 'it has no database'),
  roles: listOf(roleSchema),
});
export type Manifest = z.infer<typeof manifestSchema>;

const countsSchema = listOf(z.object({ tables: z.int(), rows: z.int() }));

/** The folder of a database's dump in the tar; the name helps people, and the number makes it unique. */
export const dumpFolder = ({ name }: Pick<SavedDatabase, 'name'>, index: number) =>
  `databases/${index}-${name.replace(/[^A-Za-z0-9_-]/g, '_')}`;

export interface Visitor {
  /** Called first. */
  manifest?(manifest: Manifest): Promise<void>;
  /** @param dump may be read in part */
  database(database: SavedDatabase, index: number, dump: AsyncIterable<Buffer>): Promise<void>;
}

/** Reads a backup to its end. @returns its manifest and the sum of its counts @throws EngineError if it is not complete; the visitor's errors */
export async function walk(source: Readable, visitor: Visitor): Promise<Contents & { manifest: Manifest }> {
  const tar = new TarReader(source, damaged);
  try {
    const manifest = parsed(manifestSchema, await tar.take(manifestName));
    await tar.take(globalsName);
    await visitor.manifest?.(manifest);
    for (const [index, database] of manifest.databases.entries()) {
      const dump = tar.folder(dumpFolder(database, index));
      await visitor.database(database, index, dump);
      for await (const _rest of dump); // `pg_restore` may leave the last bytes unread
    }
    const counts = parsed(countsSchema, await tar.take(countsName));
    if (counts.length !== manifest.databases.length) throw damaged('its counts do not match its databases');
    await tar.end();
    return { manifest, ...sumOf(counts) };
  } finally {
    tar.close();
  }
}

export const sumOf = (counts: readonly Contents[]): Contents => ({
  tables: counts.reduce((sum, { tables }) => sum + tables, 0),
  rows: counts.reduce((sum, { rows }) => sum + rows, 0),
});

function parsed<T>(schema: z.ZodType<T>, bytes: Buffer): T {
  try {
    return readDescription(schema, bytes);
  } catch (error) {
    throw damaged(messageOf(error));
  }
}

const damaged = (reason: string) =>
  new EngineError('unavailable', `The file is not a complete backup of PostgreSQL: ${reason}.`);
