/** The migrations of an installation on Cloudflare: wrangler applies them, once each. */
import { join } from 'node:path';
import { z } from 'zod';
import { createTable, inheritedMigrations, readMigrations, selectNames } from '../migrations.ts';
import type { Wrangler } from './wrangler.ts';

const answersSchema = z.array(z.object({ results: z.array(z.object({ name: z.string() })) }));

/**
 * Applies the missing migrations to a database in the account.
 * @param config the options that name wrangler's file
 * @throws StartError `control_plane_failed` for a database that stopped before the last migration of 0.1.0; `cloudflare`
 */
export async function applyRemoteMigrations(
  projectRoot: string,
  { wrangler, config, database }: { wrangler: Wrangler; config: string[]; database: string },
): Promise<void> {
  const execute = (sql: string) =>
    wrangler.run(['d1', 'execute', database, '--remote', '--command', sql, '--json', ...config]);
  const answers = answersSchema.parse(JSON.parse(await execute(`${createTable};\n${selectNames}`)));
  const applied = answers.flatMap(({ results }) => results.map(({ name }) => name));
  const known = (await readMigrations(join(projectRoot, 'migrations'))).map(({ name }) => name);
  const inherited = inheritedMigrations(applied, known).map((name) => `('${name}')`);
  if (inherited.length > 0) await execute(`INSERT INTO d1_migrations (name) VALUES ${inherited.join(', ')}`);
  await wrangler.run(['d1', 'migrations', 'apply', database, '--remote', ...config]);
}
