/** The steps of a restore's swap, written to the server itself before the swap begins. */
import { z } from 'zod';
import { escapedName } from '../bound-value.ts';
import type { Server } from './server.ts';

const stepSchema = z.object({
  /**
   * `database`: the loaded database number `place` gets the live name `database`; `make`: a statement to run under the live names; `merge`:
   * a table whose merges are stopped; `detach`: a live table to detach, because it would still write to other tables after it is renamed
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

/** @param database the name of the database that is created for the journal */
export async function beginJournal(server: Server, database: string): Promise<void> {
  await server.ask(`CREATE DATABASE ${escapedName(database)} ENGINE = Atomic`);
  await server.ask(
    `CREATE TABLE ${tableIn(database)} (kind String, place UInt32, database String, name String, statement String)
      ENGINE = MergeTree ORDER BY (kind, place) SETTINGS fsync_after_insert = 1, fsync_part_directory = 1`,
  );
}

/** Adds steps to the journal. They are on disk when this returns. @throws EngineError */
export async function writeSteps(server: Server, database: string, steps: Step[]): Promise<void> {
  if (steps.length === 0) return;
  const data = Buffer.from(steps.map((one) => JSON.stringify(one)).join('\n'));
  await server.ask(`INSERT INTO ${tableIn(database)} FORMAT JSONEachRow`, {
    data,
    settings: { async_insert: 0 },
  });
}

/** @returns all steps, ordered by kind and place @throws EngineError */
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
      // Read as bytes: a text that looks like hexadecimal would otherwise be converted.
      statement: Buffer.from(String(statement), 'hex').toString(),
    }),
  );
}
