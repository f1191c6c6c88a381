/** What a restore will do in the exchange, written down in the server itself before it begins. */
import { z } from 'zod';
import { escapedName } from '../bound-value.ts';
import type { Server } from './server.ts';

const stepSchema = z.object({
  /**
   * `database`: number `place` is `database` when live; `make`: a statement to run under the live names; `merge`: a table whose merges are
   * held up; `detach`: a live table that would go on writing from where it is put aside
   */
  kind: z.enum(['database', 'make', 'merge', 'detach']),
  place: z.number(),
  database: z.string(),
  name: z.string(),
  statement: z.string(),
});
export type Step = z.infer<typeof stepSchema>;

export const step = (kind: Step['kind'], more: Partial<Step>): Step => ({
  kind,
  place: 0,
  database: '',
  name: '',
  statement: '',
  ...more,
});

const tableIn = (database: string) => `${escapedName(database)}.steps`;

/** @param database is made for it */
export async function beginJournal(server: Server, database: string): Promise<void> {
  await server.ask(`CREATE DATABASE ${escapedName(database)} ENGINE = Atomic`);
  await server.ask(
    `CREATE TABLE ${tableIn(database)} (kind String, place UInt32, database String, name String, statement String)
      ENGINE = MergeTree ORDER BY (kind, place) SETTINGS fsync_after_insert = 1, fsync_part_directory = 1`,
  );
}

export async function writeSteps(server: Server, database: string, steps: Step[]): Promise<void> {
  if (steps.length === 0) return;
  const data = Buffer.from(steps.map((one) => JSON.stringify(one)).join('\n'));
  await server.ask(`INSERT INTO ${tableIn(database)} FORMAT JSONEachRow`, {
    data,
    settings: { async_insert: 0 },
  });
}

export async function readSteps(server: Server, database: string): Promise<Step[]> {
  const rows = await server.ask(
    `SELECT kind, place, database, name, hex(statement) FROM ${tableIn(database)} ORDER BY kind, place`,
  );
  return rows.map(([kind, place, of, name, statement]) =>
    stepSchema.parse({
      kind,
      place,
      database: of,
      name,
      // As bytes: a text that looks like hexadecimal would be shown as something else.
      statement: Buffer.from(String(statement), 'hex').toString(),
    }),
  );
}
