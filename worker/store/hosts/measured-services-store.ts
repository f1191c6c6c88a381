/** Services with the hosts that measure them, within the scope of a key. */
import { type SQL, sql } from 'drizzle-orm';
import { runners } from '../schema/runners.ts';
import type { Database } from '../sql/database.ts';
import { inScope } from '../sql/scoped-store.ts';
import type { RunnerRow } from './runner-store.ts';

/** Maximum number of services of one answer, as of the list of projects. */
export const measuredServicesMax = 2_000;

export interface MeasuredServiceRow {
  id: string;
  projectId: string;
  runnerId: string;
}

export type MeasuringHostRow = Pick<RunnerRow, 'id' | 'name' | 'facts' | 'connectedAt' | 'disconnectedAt'>;

/** The statements, for `Route.reads`; one service more than `measuredServicesMax` means that there are more. @param projectId absent: all */
export function measuredServicesStatements(db: Database, tokenId: string, projectId: string | undefined) {
  const from: SQL = sql`from services join projects on projects.id = services.project_id join api_keys on ${inScope(db, tokenId)}
    where ${projectId === undefined ? sql`true` : sql`projects.id = ${projectId}`}`;
  return {
    services: db.all<MeasuredServiceRow>(
      sql`select services.id, services.project_id as projectId, services.runner_id as runnerId ${from}
        order by services.created_at, services.rowid limit ${measuredServicesMax + 1}`,
    ),
    hosts: db
      .select({
        id: runners.id,
        name: runners.name,
        facts: runners.facts,
        connectedAt: runners.connectedAt,
        disconnectedAt: runners.disconnectedAt,
      })
      .from(runners)
      .where(sql`${runners.id} in (select services.runner_id ${from})`),
  };
}
