/** Extensions of a database. A dump contains their names without a version; a backup adds the versions. */
import pg from 'pg';
import { z } from 'zod';
import { EngineError } from '../../engine-error.ts';

export const extensionSchema = z.object({ name: z.string(), version: z.string(), schema: z.string() });
export type Extension = z.infer<typeof extensionSchema>;

/** Extensions in the order of their creation, so each one follows those that it needs. */
export async function readExtensions(client: pg.Client): Promise<Extension[]> {
  const { rows } = await client.query<Extension>(
    `SELECT extname AS name, extversion AS version, nspname AS schema
      FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE extname <> 'plpgsql' ORDER BY e.oid`,
  );
  return rows;
}

/** Schemas that a new database has. An extension in another schema is created by the dump, right after its schema. */
const schemasAtHand = ['public', 'pg_catalog'];

/** Extensions whose own tables contain part of the data. https://docs.timescale.com/self-hosted/latest/migration/entire-database/ */
const versionMatters = ['timescaledb'];

/**
 * Creates the extensions in the versions that the backup had. A version that the image does not have is replaced by the image's own.
 * @returns sentences about extensions that have another version
 * @throws EngineError with the names of all missing extensions
 */
export async function createExtensions(
  client: pg.Client,
  extensions: readonly Extension[],
): Promise<string[]> {
  const { rows } = await client.query<{ name: string; versions: string[] }>(
    'SELECT name::text, array_agg(version::text) AS versions FROM pg_available_extension_versions GROUP BY name',
  );
  const known = new Map(rows.map(({ name, versions }) => [name, versions]));
  refuseMissing(extensions, known);
  const changed: string[] = [];
  for (const { name, version, schema } of extensions) {
    const isKnown = known.get(name)?.includes(version);
    if (!isKnown)
      changed.push(`The extension ${name} had version ${version}, which this image does not have.`);
    if (!schemasAtHand.includes(schema)) continue;
    const at = isKnown ? ` VERSION ${pg.escapeLiteral(version)}` : '';
    const into = schema === 'public' ? ' SCHEMA public' : '';
    await client.query(`CREATE EXTENSION IF NOT EXISTS ${pg.escapeIdentifier(name)}${into}${at}`);
  }
  return changed;
}

function refuseMissing(extensions: readonly Extension[], known: ReadonlyMap<string, string[]>): void {
  const missing = extensions.filter(
    ({ name, version }) =>
      !known.has(name) || (versionMatters.includes(name) && !known.get(name)?.includes(version)),
  );
  if (missing.length === 0) return;
  const list = missing.map(({ name, version }) => `${name} ${version}`).join(', ');
  throw new EngineError(
    'unavailable',
    `The backup needs extensions that the image of this database does not have: ${list}. Deploy an image that has them, then restore again.`,
  );
}
