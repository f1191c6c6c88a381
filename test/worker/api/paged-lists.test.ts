/** Every list that can grow without bound is read in pages: found in the route list, so that a new list is in it from its first day. */
import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import type { AnyRoute } from '../../../worker/http/route.ts';
import { routes } from '../../../worker/routes.ts';
import { openDatabase } from '../../../worker/store/sql/database.ts';
import { createClient, deps, insertKey, type Json } from '../../support/worker/api.ts';
import { copyRows } from '../../support/worker/d1/copy-rows.ts';
import { farAway, listSources } from '../../support/worker/d1/list-rows.ts';
import { planOf, type RecordedStatement, recordedBinding } from '../../support/worker/d1/recorded-binding.ts';
import { insertEveryKind, pathOf } from '../../support/worker/every-kind.ts';
import { insertMember, tokenFor } from '../../support/worker/members.ts';

const setUp = createClient();
const ids = await insertEveryKind(setUp);
const owner = (await insertMember()).token;
const { token, id: keyId } = await insertKey({ access: 'destroy', lastUsedAt: deps.now() });

interface Listed {
  route: AnyRoute;
  /** The field of its answer that is the list. */
  field: string;
}

const shapeOf = (schema: unknown) => (schema as { shape?: Record<string, unknown> } | undefined)?.shape ?? {};
const isArray = (schema: unknown) => (schema as { def?: { type?: string } }).def?.type === 'array';

const lists: Listed[] = routes.flatMap((route) => {
  if (route.method !== 'GET' || route.reply === 'stream') return [];
  const [field] = Object.entries(shapeOf(route.reply)).find(([, schema]) => isArray(schema)) ?? [];
  return field === undefined ? [] : [{ route, field }];
});
const isPagedByHost = ({ path }: AnyRoute) =>
  /\/runtime-logs(\/histogram)?$/.test(path) || path.endsWith('/:serviceId/requests');
const paged = lists.filter(
  ({ route }) =>
    'cursor' in shapeOf(route.query) && 'nextCursor' in shapeOf(route.reply) && !isPagedByHost(route),
);

/** Lists that something else bounds. */
const bounded: Record<string, string> = {
  '/api/sessions': 'sessionsMax of worker/domain/access/key-levels.ts',
  '/api/system/sessions': 'operatorSessionsMax of worker/domain/access/key-levels.ts',
  '/api/system/keys/:keyId/sessions': 'sessionsMax of worker/domain/access/key-levels.ts',
  '/api/services/:serviceId/overview':
    'at most 100 deployments; variables, domains and volumes have lists or a quota',
  '/api/services/:serviceId/volumes': 'the quota "volumes"',
  '/api/services/:serviceId/files': 'the size of all files',
  '/api/services/:serviceId/schedules': 'schedules of a service',
  '/api/schedule-preview': 'the next five times',
  '/api/services/:serviceId/database/uploads': 'open uploads of a service',
  '/api/services/:serviceId/uploads': 'open uploads of a service',
  '/api/services/:serviceId/runtime-logs/around': '`before` and `after`',
  '/api/metrics': '2,000 services; `isCut` says that there are more',
  '/api/attention': 'the 200 worst; `total` counts all',
  '/api/notification-channels': 'channels of a tenant',
  '/api/notification-channels/:channelId/notifications': '`limit`, newest first',
  '/api/services/:serviceId/suggestion-keys': 'what the last deployment found, and databases of a project',
  '/api/projects/:projectId/database-variable-suggestions': 'databases of a project',
  '/api/deployments/:deploymentId/logs': '`after` and `limit`',
  '/api/services/:serviceId/runs/:runId/logs': '`after` and `limit`',
  '/api/services/:serviceId/runtime-logs': 'pages of the host',
  '/api/services/:serviceId/runtime-logs/histogram': 'pages of the host',
  '/api/projects/:projectId/runtime-logs/histogram': 'pages of the host',
  '/api/projects/:projectId/runtime-logs': 'pages of the host',
  '/api/services/:serviceId/requests': 'pages of the host',
  '/api/services/:serviceId/database/tables': "the database's own cursor, and limits of the host",
  '/api/services/:serviceId/database/rows': '`limit` and `offset` of the database',
  '/api/github-apps/:githubAppId/installations': 'a private app has one owner',
  '/api/github-apps/:githubAppId/repositories': "GitHub's own pages",
  '/api/projects/:projectId/alert-rules': 'rules of a project',
  '/api/projects/:projectId/log-drains': 'five of a project',
  '/api/projects/:projectId/trust-policies': 'twenty of a project',
  '/api/projects/:projectId/references': '2,000 variables of a project are read',
  '/api/log-drains/:logDrainId/status': 'the hosts of a project',
  '/api/system/alert-rules': 'rules about hosts',
  '/api/system/ai-providers': 'what the operator connects',
  '/api/system/identity-providers': 'what the operator connects',
  '/api/identities': 'one at each provider that the operator connects',
  '/api/passkeys': 'passkeysMax of worker/domain/access/passkeys.ts',
  '/api/sign-in': 'what the operator connects',
  '/api/system/dns-providers': 'one of each kind',
  '/api/system/upgrades': 'the hosts of the last round',
  '/api/system/strays/hosts': 'pages with `after`',
};

test('each list is paged, or something is named that bounds it', () => {
  const others = lists.filter((list) => !paged.includes(list)).map(({ route }) => route.path);
  expect(others.sort()).toEqual(Object.keys(bounded).sort());
});

const { sources, add, placeBefore } = await listSources(setUp, ids, { token, id: keyId });

test('a row source is named for each paged list', () => {
  expect(paged.map(({ route }) => route.path).sort()).toEqual(Object.keys(sources).sort());
});

const isDatabaseList = ({ path }: AnyRoute) => path.includes('/database/');
const nameOf = ({ route }: Listed) => route.path;

test.each(paged.map((list) => [nameOf(list), list] as const))(
  '%s: pages of two are the whole list, whatever is inserted in between',
  async (path, { route, field }) => {
    const source = sources[path];
    if (!source) throw new Error('no source');
    await prepare(route);
    // Two and two rows have the same time.
    await add(source, 5, source.table === 'occurrences' ? '4 + n' : '4 + n / 2');
    const whole = await read(route, '');
    const all: Json[] = whole.body[field];
    expect(all.length).toBeGreaterThan(4);
    expect(whole.body).not.toHaveProperty('nextCursor');
    const seen: Json[] = [];
    let next = '';
    for (let count = 0; count < 400; count += 1) {
      const { body } = await read(route, `?limit=2${next === '' ? '' : `&cursor=${next}`}`);
      seen.push(...body[field]);
      // Before the first page, so that pages by number would show a row twice.
      if (count === 0) await add(source, 1, placeBefore(source, route));
      if (body.nextCursor === undefined) break;
      next = body.nextCursor;
    }
    const known = new Set(all.map(keyOf));
    expect(seen.map(keyOf).filter((key) => known.has(key))).toEqual(all.map(keyOf));
  },
);

const statements: RecordedStatement[] = [];
const recorded = createClient({
  dependenciesOf: () => ({ ...deps, db: openDatabase(recordedBinding(statements)) }),
});

test.each(
  paged.filter(({ route }) => !route.path.endsWith('/env')).map((list) => [nameOf(list), list] as const),
)('%s: a page is read in the order of an index, and no table is scanned', async (_, { route }) => {
  await prepare(route);
  const { body } = await read(route, '?limit=1');
  statements.length = 0;
  const query = `?limit=1&cursor=${body.nextCursor}`;
  const tokens = { token: tokenFor(route, { key: token, owner }) };
  expect((await recorded('GET', pathOf(route, ids) + query, tokens)).status).toBe(200);
  const lists = statements.filter(({ query }) => query.includes(' limit ') && /cast\(\?/.test(query));
  expect(lists.length).toBeGreaterThan(0);
  for (const statement of lists) {
    const plan = await planOf(statement);
    const flaws = plan.filter((step) =>
      /TEMP B-TREE FOR ORDER BY|^SCAN (?!page|\(subquery|CONSTANT|json_each|at_work)/.test(step),
    );
    expect(flaws, `${statement.query}\n${plan.join('\n')}`).toEqual([]);
  }
});

test.each(['x', 'bm8', 'WzEsMl0', '', 'a'.repeat(500)])(
  'the cursor %j is refused with a way out',
  async (cursor) => {
    const reply = await setUp('GET', `/api/services/${ids.serviceId}/runs?cursor=${cursor}`, { token });
    expect([reply.status, reply.body.error]).toEqual([
      400,
      expect.stringContaining('"cursor" must be the "nextCursor"'),
    ]);
  },
);

test('a page after a row that was deleted meanwhile leaves none out', async () => {
  await copyRows('runs', `id = '${ids.runId}'`, 3, {
    ...{ id: `'run_same_' || n`, created_at: String(farAway + 1) },
  });
  const path = `/api/services/${ids.serviceId}/runs?limit=1`;
  const first = (await setUp('GET', path, { token })).body;
  expect(first.runs[0].id).toBe('run_same_3');
  await env.DB.prepare(`delete from runs where id = 'run_same_3'`).run();
  const { runs } = (await setUp('GET', `${path}&cursor=${first.nextCursor}`, { token })).body;
  expect(runs[0].id).toBe('run_same_2');
});

/** Database lists are of a database, all others of an app. */
async function prepare(route: AnyRoute): Promise<void> {
  const kind = isDatabaseList(route) ? 'database' : 'git';
  await env.DB.prepare('update services set kind = ?, repo_full_name = ? where id = ?')
    .bind(kind, kind === 'database' ? 'database:postgres' : 'a/b', ids.serviceId)
    .run();
}

function read(route: AnyRoute, query: string) {
  return setUp('GET', pathOf(route, ids) + query, {
    token: tokenFor(route, { key: token, owner }),
  });
}

const keyOf = (item: Json) =>
  item.id ?? item.resourceId ?? item.dueAt ?? `${item.minute} ${item.addressHash}`;
