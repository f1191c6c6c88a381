/** For monitors and for people who open the address in a browser. Public, because it reveals nothing about tenants. */
import { z } from 'zod';
import { type AnyRoute, defineRoute } from '../../http/route.ts';
import { timestamp, timestampOrNull, timestampSchema } from '../../http/timestamps.ts';
import { readHealth } from '../../usecases/instance/read-health.ts';
import { dashboardPage } from '../dashboard/dashboard-page.ts';

const healthSchema = z.strictObject({
  /** `ok`; `degraded`: the instance works, but something needs attention; `failing`: answered with 503. */
  status: z.enum(['ok', 'degraded', 'failing']),
  /** `not_migrated`: the database lacks a migration of this version. */
  database: z.enum(['ok', 'unreachable', 'not_migrated']),
  /** The last run of the scheduled work, which runs every minute; `null` before the first run. */
  scheduledWork: z
    .strictObject({ lastRunAt: timestampSchema, durationMs: z.int(), failed: z.array(z.string()) })
    .nullable(),
  /** How long the oldest job of a connected host has waited, in seconds. */
  oldestJobSeconds: z.int(),
  /** How late the check of a database for due backups is, in seconds. */
  oldestBackupCheckSeconds: z.int(),
  /** End of the last dump of the database; `null` if there is none. */
  lastDumpAt: timestampSchema.nullable(),
  /** Requests to objects of logs today (UTC), estimated from samples, and the setting `objectRequestsPerDay`; `null` if unknown. */
  objectRequestsToday: z.strictObject({ used: z.int(), budget: z.int().nullable() }).nullable(),
});

const health = defineRoute({
  method: 'GET',
  path: '/healthz',
  access: 'public',
  summary: 'Health of the control plane, for monitors: 200, or 503 while it fails.',
  reply: healthSchema,
  async handle({ deps }) {
    const { status, database, lastRun, oldestJobMs, oldestBackupCheckMs, lastDumpAt, dayUse } =
      await readHealth(deps);
    const body: z.infer<typeof healthSchema> = {
      status,
      database,
      scheduledWork: lastRun && {
        lastRunAt: timestamp(lastRun.startedAt),
        durationMs: lastRun.durationMs,
        failed: lastRun.failed,
      },
      oldestJobSeconds: Math.round(oldestJobMs / 1000),
      oldestBackupCheckSeconds: Math.round(oldestBackupCheckMs / 1000),
      lastDumpAt: timestampOrNull(lastDumpAt),
      objectRequestsToday: dayUse,
    };
    return Response.json(body, {
      status: status === 'failing' ? 503 : 200,
      headers: { 'Cache-Control': 'no-store' },
    });
  },
});

const welcome = defineRoute({
  method: 'GET',
  path: '/',
  access: 'public',
  summary: 'The dashboard for browsers; programs get the addresses of the reference and of the health.',
  reply: z.strictObject({ name: z.string(), docs: z.string(), openapi: z.string(), health: z.string() }),
  async handle({ request }) {
    if (request.headers.get('Accept')?.includes('text/html')) return dashboardPage();
    const addresses = { name: 'Longshore', docs: '/docs', openapi: '/openapi.json', health: '/healthz' };
    return Response.json(addresses, { headers: { Vary: 'Accept' } });
  },
});

export const healthRoutes: readonly AnyRoute[] = [welcome, health];
