import { type SQL, sql } from 'drizzle-orm';
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { Initiator } from '../../domain/access/initiator.ts';

/** Column `started_by`: who started the job of a row; `null` without a job, and for jobs from before this was recorded. */
export const startedByOf = (jobId: AnySQLiteColumn | SQL, name = 'started_by') =>
  sql<Initiator | null>`(select jobs.started_by from jobs where jobs.id = ${jobId})`
    .mapWith((text: string) => JSON.parse(text) as Initiator)
    .as(name);
