/** What decides whether the log of a deployment or of a command is kept. */
import { sql } from 'drizzle-orm';
import { settingsOf } from '../../domain/instance/settings.ts';
import { type LogAge, newestWithLogs } from '../../domain/logs/log-retention.ts';
import { selectSettings } from '../instance/settings-store.ts';
import type { Database } from '../sql/database.ts';

/** @param ownerId the deployment or run @returns undefined if it has no row, because it was deleted */
export async function readLogAge(db: Database, ownerId: string): Promise<LogAge | undefined> {
  const [deployments, runs, settings] = await db.batch([
    selectAge(db, 'deployments', ownerId),
    selectAge(db, 'runs', ownerId),
    selectSettings(db),
  ]);
  const [row] = [...deployments, ...runs];
  if (!row) return undefined;
  const { status, ...age } = row;
  return { ...age, isLive: row.kind === 'deployments' && status === 'running', ...settingsOf(settings) };
}

function selectAge(db: Database, kind: 'deployments' | 'runs', ownerId: string) {
  const table = sql.identifier(kind);
  return db.all<{ kind: string; finishedAt: number | null; status: string; newer: number }>(sql`
    select ${kind} as kind, finished_at as finishedAt, status,
      (select count(*) from (select 1 from ${table} newer
        where newer.service_id = one.service_id and newer.created_at > one.created_at limit ${newestWithLogs})) as newer
    from ${table} one where id = ${ownerId}`);
}
