import { eq } from 'drizzle-orm';
import { columnsAs } from './columns-as.ts';
import type { Database } from './database.ts';
import { runners } from './schema/runners.ts';

/** A host by its id, including revoked ones; for operator routes. */
export function selectRunner(db: Database, runnerId: string) {
  return db
    .select({ runner: columnsAs(runners, 'runner') })
    .from(runners)
    .where(eq(runners.id, runnerId))
    .limit(1);
}
