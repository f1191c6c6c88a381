import { eq } from 'drizzle-orm';
import { runners } from '../schema/runners.ts';
import { columnsAs } from '../sql/columns-as.ts';
import type { Database } from '../sql/database.ts';

/** A host by its id, including revoked ones; for operator routes. */
export function selectRunner(db: Database, runnerId: string) {
  return db
    .select({ runner: columnsAs(runners, 'runner') })
    .from(runners)
    .where(eq(runners.id, runnerId))
    .limit(1);
}
