/** Rows for every paged list: copies of a row of each kind. */
import { env } from 'cloudflare:workers';
import type { AnyRoute } from '../../../../worker/http/route.ts';
import type { Client } from '../api.ts';
import type { Ids } from '../every-kind.ts';
import { copyRows } from './copy-rows.ts';

/** The source of a list's rows: a row that is copied, and the values that differ in each copy. In an expression, N is the number of the copy. */
interface Source {
  table: string;
  where: string;
  /** The column by which the list is sorted. */
  at: string;
  own: Record<string, string>;
}

const made = (table: string, id: string, own: Record<string, string> = {}): Source => ({
  ...{ table, where: `id = '${id}'`, at: 'created_at' },
  own: { id: `'${table.slice(0, 4)}_' || N`, ...own },
});

/** A time in the year 9999, in epoch milliseconds. */
export const farAway = 253_370_764_800_000;

const perText = `'t-' || N`;
const host = `printf('h%05d.example.com', N)`;
const member = { email: perText };
const hostPort = { host_port: '1000 + N', generated_hostname: 'null' };

function sourcesOf(ids: Ids, keyId: string): Record<string, Source> {
  const deletion: Source = {
    ...{ table: 'deletions', where: `resource_id = '${ids.resourceId}'`, at: 'deleted_at' },
    own: {
      resource_id: `'svc_gone_' || N`,
      tenant_id: `'default'`,
      project_id: `'${ids.projectId}'`,
      restorable_until: String(farAway),
    },
  };
  const alert = { ...made('alerts', ids.alertId, { subject_id: perText }), at: 'raised_at' };
  return {
    '/api/projects': made('projects', ids.projectId, { slug: perText }),
    '/api/projects/:projectId/services': made('services', ids.serviceId, { slug: perText, ...hostPort }),
    '/api/services/:serviceId/env': made('variables', ids.envId, { key: `'K' || N` }),
    '/api/services/:serviceId/volume-backups': made('backups', ids.backupId, {
      volume_id: `'${ids.volumeId}'`,
    }),
    '/api/services/:serviceId/deployments': made('deployments', ids.deploymentId, { job_id: `'job_' || N` }),
    '/api/services/:serviceId/runs': made('runs', ids.runId),
    '/api/services/:serviceId/schedules/:scheduleId/occurrences': {
      ...{
        table: 'occurrences',
        where: `schedule_id = '${ids.scheduleId}' and due_at = 3`,
        at: 'due_at',
        own: {},
      },
    },
    '/api/services/:serviceId/database/upgrades': made('database_upgrades', 'upg_first'),
    '/api/services/:serviceId/database/backups': made('backups', ids.backupId),
    '/api/backup-keys': made('backup_keys', ids.backupKeyId),
    '/api/services/:serviceId/database/imports': made('imports', ids.importId),
    '/api/deleted': deletion,
    '/api/registries': { ...made('registries', ids.registryId, { host }), at: 'host' },
    '/api/github-apps': { ...made('github_apps', ids.githubAppId, { host }), at: 'host' },
    '/api/git-credentials': { ...made('git_credentials', ids.gitCredentialId, { host }), at: 'host' },
    '/api/keys': made('api_keys', ids.keyId, { token_id: perText, made_by: `'${keyId}'` }),
    '/api/members': made('members', ids.memberId, member),
    '/api/system/tenants/:tenantId/members': made('members', ids.memberId, {
      ...member,
      tenant_id: `'${ids.tenantId}'`,
    }),
    '/api/system/keys': made('api_keys', ids.keyId, { token_id: perText }),
    '/api/hosts': made('runners', ids.runnerId),
    '/api/system/runners': made('runners', ids.runnerId),
    '/api/system/tenants': made('tenants', ids.tenantId, { name: perText }),
    '/api/system/deleted': deletion,
    '/api/system/audit': made('audit_log', 'aud_first'),
    '/api/audit': made('audit_log', 'aud_first'),
    '/api/system/failed-sign-ins': {
      ...{
        table: 'failed_sign_ins',
        where: `address_hash = 'first'`,
        at: 'minute',
        own: { address_hash: perText },
      },
    },
    '/api/alerts': alert,
    '/api/system/alerts': alert,
    '/api/system/events': made('events', 'evt_first'),
    '/api/system/dumps': { ...made('dumps', 'dmp_first'), at: 'started_at' },
  };
}

async function insertFirstRows(ids: Ids): Promise<void> {
  await env.DB.batch(
    [
      // Answers have years with four digits.
      `update deletions set restorable_until = ${farAway} where restorable_until > ${farAway}`,
      `insert into occurrences (schedule_id, due_at, service_id, reason, missed) values ('${ids.scheduleId}', 3, '${ids.serviceId}', 'x', 0)`,
      `insert into audit_log (id, tenant_id, actor, route, status, request_id, address_hash, created_at) values ('aud_first', 'default', 'operator', 'x', 200, '', '', 3)`,
      `insert into failed_sign_ins values (3, 'first', 1)`,
      `insert into events (id, type, tenant_id, project_id, service_id, resource_id, created_at, attempts, project_name, service_name)
      values ('evt_first', 'backup.failed', 'default', 'p', 's', 'b', 3, 0, 'p', 's')`,
      `insert into dumps (id, state, started_at, parts, rows, bytes) values ('dmp_first', 'complete', 3, 0, 0, 0)`,
      `insert into database_upgrades (id, service_id, job_id, action, from_image, to_image, accept_not_kept, status, created_at)
      select 'upg_first', service_id, job_id, 'upgrade', 'a', 'b', 0, 'failed', 3 from runs where id = '${ids.runId}'`,
    ].map((statement) => env.DB.prepare(statement)),
  );
}

/**
 * @param key whose own list of keys is filled
 * @returns the sources of each list's rows, by path, and a function that adds rows
 */
export async function listSources(call: Client, ids: Ids, key: { token: string; id: string }) {
  await insertFirstRows(ids);
  let added = 0;

  /** @param at an expression with the number `n` of the copy: its position in the list */
  async function add({ table, where, at, own }: Source, count: number, place: string): Promise<void> {
    const numbered = (text: string) => text.replaceAll('N', `(n + ${added})`);
    if (table === 'variables') {
      // An encrypted value can't be copied.
      const path = `/api/services/${ids.serviceId}/env`;
      for (let n = 1; n <= count; n += 1)
        await call('POST', path, { token: key.token, body: { key: `K${added + n}`, value: 'x' } });
      added += count;
      return;
    }
    if (table === 'deployments') {
      const oneJob = `id = (select job_id from deployments where ${where})`;
      await copyRows('jobs', oneJob, count, { id: numbered(`'job_' || N`), state: `'failed'` });
    }
    if (table === 'members') {
      await copyRows('api_keys', where, count, { id: numbered(own.id ?? ''), token_id: numbered(perText) });
    }
    const values = Object.entries(own).map(([column, text]) => [column, numbered(text)]);
    await copyRows(table, where, count, {
      ...Object.fromEntries(values),
      ...(at === 'host' && place !== 'first' ? {} : { [at]: place === 'first' ? `'a' || ${added}` : place }),
    });
    added += count;
  }

  /** A position before all rows of a list. */
  function placeBefore({ at }: Source, { summary, path }: AnyRoute): string {
    if (at === 'host') return 'first';
    const isOldestFirst = /oldest first|order of creation/.test(summary) || unnamedOrder.has(path);
    return isOldestFirst ? '0' : String(at === 'minute' ? farAway / 60_000 : farAway);
  }

  return { sources: sourcesOf(ids, key.id), add, placeBefore };
}

/** Lists that begin with the oldest element, although their summary does not say so. */
const unnamedOrder = new Set([
  '/api/services/:serviceId/env',
  '/api/hosts',
  '/api/system/keys',
  '/api/system/runners',
  '/api/system/tenants',
]);
