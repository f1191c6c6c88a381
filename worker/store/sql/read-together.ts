import type { RunnableQuery } from 'drizzle-orm/runnable-query';
import type { Database } from './database.ts';

/** Statements by name; `Rows` has the result of each. */
export type Statements<Rows> = { [Name in keyof Rows]: RunnableQuery<Rows[Name], 'sqlite'> };

type Batch = Parameters<Database['batch']>[0];

/** Runs two sets of statements in one batch, so in one round trip and one snapshot. No effect without statements. */
export async function readTogether<First, Second>(
  db: Database,
  first: Statements<First>,
  second: Statements<Second>,
): Promise<[First, Second]> {
  const statements = [...Object.values(first), ...Object.values(second)] as unknown as Batch;
  const rows: readonly unknown[] = statements.length > 0 ? await db.batch(statements) : [];
  const named = (names: string[], from: number) =>
    Object.fromEntries(names.map((name, index) => [name, rows[from + index]]));
  const firstNames = Object.keys(first);
  return [named(firstNames, 0) as First, named(Object.keys(second), firstNames.length) as Second];
}
