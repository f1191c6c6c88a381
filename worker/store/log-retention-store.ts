/** What decides whether the log of a deployment is kept. */
import { and, eq, gt, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { type LogAge, newestWithLogs } from '../domain/logs/log-retention.ts';
import { settingsOf } from '../domain/settings.ts';
import type { Database } from './database.ts';
import { deployments } from './schema/deployments.ts';
import { selectSettings } from './settings-store.ts';

/** @returns undefined if the deployment has no row, because it was deleted */
export async function readLogAge(db: Database, deploymentId: string): Promise<LogAge | undefined> {
  const newer = alias(deployments, 'newer');
  const newerOnes = db
    .select({ one: sql`1` })
    .from(newer)
    .where(and(eq(newer.serviceId, deployments.serviceId), gt(newer.createdAt, deployments.createdAt)))
    .limit(newestWithLogs);
  const [[row], settings] = await db.batch([
    db
      .select({
        finishedAt: deployments.finishedAt,
        status: deployments.status,
        newer: sql<number>`(select count(*) from ${newerOnes})`,
      })
      .from(deployments)
      .where(eq(deployments.id, deploymentId)),
    selectSettings(db),
  ]);
  if (!row) return undefined;
  const { logDays } = settingsOf(settings);
  return { finishedAt: row.finishedAt, isLive: row.status === 'running', newer: row.newer, logDays };
}
