/**
 * Two members call every route that changes something, in browsers, on command lines and with keys of their own; afterwards the audit log, the
 * jobs and the events say for each change who of the two it was. Generated from the route list, so that a new route is in it from its first day.
 * @module-tag slow
 */
import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, test } from 'vitest';
import { createDependencies } from '../../../worker/context.ts';
import { keyLevels } from '../../../worker/domain/access/key-levels.ts';
import type { AnyRoute } from '../../../worker/http/route.ts';
import { routes } from '../../../worker/routes.ts';
import {
  createClient,
  deps,
  fromNewAddress,
  insertKey,
  insertService,
  insertTenant,
  type Json,
  operatorToken,
} from '../../support/worker/api.ts';
import { bodyCases, tryTestBucket } from '../../support/worker/body-cases.ts';
import { insertDeploymentOf } from '../../support/worker/deployment-rows.ts';
import { absentIds, insertEveryKind, pathOf } from '../../support/worker/every-kind.ts';
import { insertMember } from '../../support/worker/members.ts';

const call = createClient({
  dependenciesOf: (of) => ({ ...createDependencies(of), tryBucket: tryTestBucket }),
});
const tenantId = await insertTenant('who did it');
const ids = await insertEveryKind(call, { tenantId });
const { projectId, runnerId } = ids;
const database = { kind: 'database', repoUrl: 'database', repoFullName: 'database:redis' } as const;

/** Runs already, and has no work that a request could conflict with. */
async function liveService(isDatabase: boolean): Promise<string> {
  const { id } = await insertService({ projectId, runnerId, ...(isDatabase ? database : {}) });
  await insertDeploymentOf(id, { job: { state: 'succeeded' }, deployment: { status: 'running' } });
  return id;
}

/** A member with each way to act. */
async function aPerson(name: string) {
  const member = await insertMember({ tenantId });
  await env.DB.prepare('update api_keys set name = ? where id = ?').bind(name, member.id).run();
  const own = { tenantId, access: 'destroy', madeBy: member.id, expiresAt: deps.now() + 3_600_000 } as const;
  const ways = {
    browser: member.token,
    'command line': (await insertKey({ ...own, kind: 'command-line' })).token,
    'own key': (await insertKey(own)).token,
  };
  return { id: member.id, name, ways };
}
type Person = Awaited<ReturnType<typeof aPerson>>;
const people = [await aPerson('Ada'), await aPerson('Grace')] as const;
const watcher = await insertMember({ tenantId });

interface Change {
  route: AnyRoute;
  who: Person;
  requestId: string;
  status: number;
}

const isOpen = ({ method, access }: AnyRoute) =>
  method !== 'GET' && [...keyLevels, 'member', 'owner'].some((level) => level === access);
/** What deletes comes last, first the parts: `leave` would leave nobody to ask for the rest. */
const rank = ({ method, path }: AnyRoute) =>
  path === '/api/membership' ? 1_000 : method === 'DELETE' ? 100 - path.split('/').length : 0;
const changing = routes.filter(isOpen).toSorted((one, other) => rank(one) - rank(other));

/** The same choices in each run. */
function draws(seed: number) {
  let state = seed;
  return (count: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * count);
  };
}

/** Where the example of a body with every field is refused, or protects what is deleted later. */
const shortest: Record<string, Json[]> = {
  'POST /api/services/:serviceId/deployments': [undefined],
  'PATCH /api/services/:serviceId': [{ name: 'Web' }],
};

/** What would send something to another machine is called for what does not exist. */
const asksOthers = ({ path }: AnyRoute) => /\/(test|explain-\w+|host-port)$/.test(path);

const changes: Change[] = [];
const entryOf = new Map<string, Json>();

beforeAll(async () => {
  const body = { eventWebhook: { url: 'https://hooks.example.com/' } };
  await call('PATCH', '/api/system/settings', { token: operatorToken, body });
  const draw = draws(7);
  for (const route of changing) {
    const who = people[draw(2)] as Person;
    const { browser } = who.ways;
    // Some routes take only browsers: what they refuse is in the audit log, too.
    const first = Object.values(who.ways)[draw(3)] ?? browser;
    if ((await change(route, who, first)) === 403 && first !== browser) await change(route, who, browser);
  }
  for (let cursor = ''; ; ) {
    const reply = await call('GET', `/api/audit?limit=1000${cursor}`, { token: watcher.token });
    for (const entry of reply.body.entries) entryOf.set(entry.requestId, entry);
    if (!reply.body.nextCursor) break;
    cursor = `&cursor=${encodeURIComponent(reply.body.nextCursor)}`;
  }
}, 120_000);

async function change(route: AnyRoute, who: Person, token: string): Promise<number> {
  const name = `${route.method} ${route.path}`;
  const isAlone = /:serviceId/.test(route.path) && !/:(?!serviceId)/.test(route.path);
  const serviceId = isAlone ? await liveService(route.path.includes('/database/')) : ids.serviceId;
  const [body] = shortest[name] ?? bodyCases[name]?.bodies(ids) ?? [];
  const { status, headers } = await call(
    route.method,
    pathOf(route, asksOthers(route) ? absentIds : { ...ids, serviceId }),
    {
      token,
      headers: fromNewAddress(),
      ...(body === undefined ? {} : { body }),
      leaves: route.reply === 'stream',
    },
  );
  changes.push({ route, who, status, requestId: headers.get('x-request-id') ?? '' });
  return status;
}

const done = () => changes.filter(({ status }) => status < 400);

test('every route that changes something is called, and both members make more than twenty changes', () => {
  expect(changing.length).toBeGreaterThan(110);
  expect(done().length).toBeGreaterThan(55);
  for (const person of people) expect(done().filter(({ who }) => who === person).length).toBeGreaterThan(20);
});

test('each change and each refusal is in the audit log with the member who called, in whichever way', () => {
  const unknown = changes.flatMap(({ route, who, requestId, status }) => {
    const { actedBy, ...entry } = entryOf.get(requestId) ?? {};
    const name = `${route.method} ${route.path}`;
    const isTold = entry.route === name && entry.status === status && actedBy?.id === who.id;
    return isTold && actedBy.type === 'member' && actedBy.name === who.name ? [] : [name];
  });
  expect(unknown).toEqual([]);
});

test.each(people)('the audit log of $name has all of this member and nothing of others', async ({ id }) => {
  const { body } = await call('GET', `/api/audit?actor=${id}&limit=1000`, { token: watcher.token });
  const own = changes.filter(({ who }) => who.id === id).map(({ requestId }) => requestId);
  expect(body.entries.map(({ requestId }: Json) => requestId).sort()).toEqual(own.sort());
});

test('twenty changes at random are answered from their resource alone: who did this', async () => {
  const draw = draws(20);
  const left = done().filter(({ requestId }) => entryOf.get(requestId)?.resourceId);
  for (let n = 0; n < 20; n++) {
    const [asked] = left.splice(draw(left.length), 1);
    if (!asked) throw new Error('too few changes');
    const { resourceId, route, createdAt } = entryOf.get(asked.requestId);
    const answers = [...entryOf.values()].filter(
      (entry) => entry.resourceId === resourceId && entry.route === route && entry.createdAt === createdAt,
    );
    expect(answers.map(({ actedBy }) => actedBy.name)).toEqual([asked.who.name]);
  }
});

describe('what the changes left behind', () => {
  const startersOf = async (table: 'jobs' | 'events') => {
    const where = table === 'jobs' ? 'queued_at' : 'created_at';
    const { results } = await env.DB.prepare(
      `select ${table === 'jobs' ? 'kind' : 'type'} as kind, started_by as startedBy from ${table} where ${where} > 0`,
    ).all<{ kind: string; startedBy: string | null }>();
    return results.map(({ kind, startedBy }) => ({ kind, by: startedBy && JSON.parse(startedBy) }));
  };

  test('each job that a request started names the member', async () => {
    // Those of the fixtures are the platform's.
    const jobs = (await startersOf('jobs')).filter(({ by }) => by?.type !== 'platform');
    expect(jobs.length).toBeGreaterThan(0);
    const nobody = jobs.filter(({ by }) => by.type !== 'member' || !['Ada', 'Grace'].includes(by.name));
    expect(nobody).toEqual([]);
  });

  test('each event about a deletion or a restore names the member who caused it', async () => {
    const caused = (await startersOf('events')).filter(({ kind }) => /deleted|restored|purged/.test(kind));
    expect(new Set(caused.map(({ kind }) => kind)).size).toBeGreaterThan(4);
    const nobody = caused.filter(({ by }) => by?.type !== 'member' || !['Ada', 'Grace'].includes(by.name));
    expect(nobody).toEqual([]);
  });
});
