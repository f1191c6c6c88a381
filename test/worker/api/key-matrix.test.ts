/** Every route with every kind of caller: generated from the route list, so that a new route is in it from its first day. */
import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, test } from 'vitest';
import type { AnyRoute } from '../../../worker/api/route.ts';
import { routes } from '../../../worker/app.ts';
import {
  type Client,
  createClient,
  deps,
  insertKey,
  insertProject,
  insertRunner,
  insertService,
  insertTenant,
  operatorToken,
} from '../support/api.ts';

interface Ids {
  projectId: string;
  projectSlug: string;
  serviceId: string;
  deploymentId: string;
  envId: string;
  runnerId: string;
  keyId: string;
}

let call: Client;
let ids: Ids;
const tokens: Record<string, string> = {};

beforeAll(async () => {
  call = createClient({ checkReplies: false });
  ids = await insertResources();
  const hour = 3_600_000;
  tokens.write = (await insertKey()).token;
  tokens.read = (await insertKey({ access: 'read' })).token;
  tokens.chosen = (await insertKey({ projects: [ids.projectId] })).token;
  tokens.other = (await insertKey({ projects: [(await insertProject()).id] })).token;
  tokens.tenant = (await insertKey({ tenantId: await insertTenant('matrix') })).token;
  tokens.revoked = (await insertKey({ revokedAt: deps.now() - hour })).token;
  tokens.expired = (await insertKey({ expiresAt: deps.now() - 1 })).token;
  tokens.garbage = 'lsk_garbage';
  tokens.unknown = (await insertKey()).token.replace(/^lsk_.{8}/, 'lsk_00000000');
  tokens.operator = operatorToken;
});

/** With a body that is no JSON: a caller who passes is stopped by it (400) before anything changes. */
const ask = (route: AnyRoute, key: string | undefined, found: Partial<Ids> = {}) => {
  const path = route.path.replace(
    /:(\w+)/g,
    (_, name: keyof Ids) => ({ ...ids, ...found })[name] ?? `no-${name}`,
  );
  const token = key === undefined ? {} : { token: tokens[key] };
  const raw = route.method === 'GET' ? {} : { raw: '{' };
  return call(route.method, path, { ...token, ...raw, headers: { 'x-request-id': 'matrix' } });
};

const named = (chosen: AnyRoute[]) =>
  chosen.map((route) => [`${route.method} ${route.path}`, route] as const);
const ofKeys = routes.filter(({ access }) => access === 'read' || access === 'write');
const ofOperator = routes.filter(({ access }) => access === 'operator');
const absent: Partial<Ids> = {
  projectId: 'prj_absent',
  projectSlug: 'absent',
  serviceId: 'svc_absent',
  deploymentId: 'dep_absent',
  envId: 'env_absent',
  runnerId: 'run_absent',
  keyId: 'key_absent',
};

test('each route is of one of the four levels, and no two are the same', () => {
  const names = routes.map(({ method, path }) => `${method} ${path.replace(/:\w+/g, ':')}`);
  expect(new Set(names).size).toBe(routes.length);
  const open = routes.filter(({ access }) => access === 'public').map(({ path }) => path);
  expect(open.sort()).toEqual(['/api/runner/connect', '/api/runner/enrol']);
});

describe.each(named(ofKeys))('%s', (_, route) => {
  test.each([undefined, 'garbage', 'unknown', 'revoked', 'expired', 'operator'])(
    '%s: 401, one body',
    async (key) => {
      const reply = await ask(route, key);
      expect([reply.status, reply.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
      expect(reply.text).toBe((await ask(route, undefined)).text);
    },
  );

  test('a read key is refused (403) exactly where the route writes, whatever it names', async () => {
    expect((await ask(route, 'read', absent)).status === 403).toBe(route.access === 'write');
  });
});

const withResource = (route: AnyRoute) => route.resource !== undefined;

test.each(named(ofKeys.filter(withResource)))(
  '%s: another project, another tenant and nothing at all give the same 404',
  async (_, route) => {
    const missing = await ask(route, 'write', absent);
    expect([missing.status, missing.body.code]).toEqual([404, 'not_found']);
    for (const key of ['other', 'tenant']) {
      const invisible = await ask(route, key);
      expect([invisible.status, invisible.text]).toEqual([404, missing.text]);
    }
  },
);

/** Asked without a body they change nothing and end: the others would take the resources away, start work, or stay open. */
const isHarmless = ({ method, body, reply }: AnyRoute) =>
  method !== 'DELETE' && (method !== 'POST' || body !== undefined) && reply !== 'stream';

test.each(named(ofKeys.filter(isHarmless)))('%s: a key that sees the project passes', async (_, route) => {
  const expected = route.body ? 400 : 200;
  expect((await ask(route, 'write')).status).toBe(expected);
  expect((await ask(route, 'chosen')).status).toBe(route.onlyAllProjects ? 403 : expected);
});

describe.each(named(ofOperator))('%s', (_, route) => {
  test.each([undefined, 'garbage', 'unknown', 'revoked', 'expired'])('%s: 401', async (key) => {
    expect((await ask(route, key)).status).toBe(401);
  });
  test('an API key, even one for all projects, is 403', async () => {
    expect((await ask(route, 'write')).status).toBe(403);
  });
});

test.each(named(ofOperator.filter(withResource)))('%s: what does not exist is 404', async (_, route) => {
  expect((await ask(route, 'operator', absent)).status).toBe(404);
});

async function insertResources(): Promise<Ids> {
  const project = await insertProject({ slug: 'matrix' });
  const runner = await insertRunner();
  const service = await insertService({ projectId: project.id, runnerId: runner.id });
  const key = await insertKey();
  const rows = [
    `insert into jobs (id, kind, service_id, runner_id, state, epoch, queued_at) values ('job_m', 'deploy', '${service.id}', '${runner.id}', 'failed', 0, 0)`,
    `insert into deployments (id, service_id, job_id, status, trigger, created_at) values ('dep_matrix', '${service.id}', 'job_m', 'failed', 'manual', 0)`,
    `insert into variables (id, service_id, key, sealed_value, created_at, updated_at) values ('env_matrix', '${service.id}', 'A', '${await sealed(project, 'env_matrix')}', 0, 0)`,
  ];
  await env.DB.batch(rows.map((row) => env.DB.prepare(row)));
  return {
    projectId: project.id,
    projectSlug: project.slug,
    serviceId: service.id,
    deploymentId: 'dep_matrix',
    envId: 'env_matrix',
    runnerId: runner.id,
    keyId: key.id,
  };
}

function sealed(project: { id: string; wrappedDataKey: string }, variableId: string): Promise<string> {
  const place = { table: 'variables', column: 'sealed_value', rowId: variableId };
  return deps.envelope.seal(project.wrappedDataKey, project.id, place, 'x');
}
