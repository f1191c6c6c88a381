/**
 * Every route with every kind of caller: generated from the route list, so that a new route is in it from its first day.
 * @module-tag slow
 * @module-tag matrix
 */
import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { createApp } from '../../../worker/app.ts';
import { keyLevels } from '../../../worker/domain/access/key-levels.ts';
import { memberRoles } from '../../../worker/domain/access/members.ts';
import type { AnyRoute } from '../../../worker/http/route.ts';
import { routes } from '../../../worker/routes.ts';
import { apiKeys } from '../../../worker/store/schema/api-keys.ts';
import { fixedPart } from '../../support/level.ts';
import {
  createClient,
  deps,
  fromNewAddress,
  insertKey,
  insertProject,
  insertTenant,
  operatorToken,
} from '../../support/worker/api.ts';
import {
  absentIds as absent,
  type Ids,
  insertEveryKind,
  parametersOf,
  pathOf,
} from '../../support/worker/every-kind.ts';
import { insertMember } from '../../support/worker/members.ts';

const tokens: Record<string, string> = {};

const call = createClient({ checkReplies: false });
const ids = await insertEveryKind(call);
const hour = 3_600_000;
for (const access of keyLevels) tokens[access] = (await insertKey({ access })).token;
tokens.made = (await insertKey({ access: 'destroy', madeBy: (await insertKey()).id })).token;
tokens.chosen = (await insertKey({ access: 'destroy', projects: [ids.projectId] })).token;
tokens.other = (await insertKey({ access: 'destroy', projects: [(await insertProject()).id] })).token;
tokens.tenant = (await insertKey({ access: 'destroy', tenantId: await insertTenant('matrix') })).token;
tokens.revoked = (await insertKey({ revokedAt: deps.now() - hour })).token;
tokens.expired = (await insertKey({ expiresAt: deps.now() - 1 })).token;
tokens.garbage = 'lsk_garbage';
tokens.unknown = (await insertKey()).token.replace(/^lsk_.{8}/, 'lsk_00000000');
tokens.operator = operatorToken;
for (const role of memberRoles) tokens[role] = (await insertMember({ role })).token;
tokens.otherOwner = (await insertMember({ tenantId: await insertTenant('matrix of members') })).token;

/** With a body that is no JSON: a caller who passes is stopped by it (400) before anything changes. */
const ask = (route: AnyRoute, key: string | undefined, found: Partial<Ids> = {}) => {
  const path = pathOf(route, { ...ids, ...found });
  const token = key === undefined ? {} : { token: tokens[key] };
  const raw = route.method === 'GET' ? {} : { raw: '{' };
  const headers = { 'x-request-id': 'matrix', ...fromNewAddress() };
  // Without a resource that is absent, nothing ends a stream.
  const leaves = route.reply === 'stream' && route.resource === undefined;
  return call(route.method, path, { ...token, ...raw, headers, leaves });
};

/** No key, and tokens that are none: one place refuses the latter for all routes, so with `npm test` each route tries one of them. */
const strangersOf = (route: AnyRoute) => [
  undefined,
  ...fixedPart(['garbage', 'unknown', 'revoked', 'expired'], 4, routes.indexOf(route)),
];

const named = (chosen: AnyRoute[]) =>
  chosen.map((route) => [`${route.method} ${route.path}`, route] as const);
const levelOf = ({ access }: AnyRoute) => keyLevels.find((level) => level === access);
const ofKeys = routes.filter((route) => levelOf(route) !== undefined);
const ofOwner = routes.filter(({ access }) => access === 'owner');
const ofMember = routes.filter(({ access }) => access === 'member');
const ofOperator = routes.filter(({ access }) => access === 'operator');
const signed = routes.filter(({ access }) => access === 'signed');

test('each route has one of the levels, and no two are the same', () => {
  const names = routes.map(({ method, path }) => `${method} ${path.replace(/:\w+/g, ':')}`);
  expect(new Set(names).size).toBe(routes.length);
  const open = routes.filter(({ access }) => access === 'public').map(({ path }) => path);
  expect([...new Set(open)].sort()).toEqual([
    '/',
    '/alerts',
    '/api/github-setup',
    '/api/github-setup/done',
    '/api/keys/exchange',
    '/api/runner/backup-copy',
    '/api/runner/backup-copy/completion',
    '/api/runner/backup-copy/part',
    '/api/runner/connect',
    '/api/runner/enrol',
    '/api/runner/log',
    '/api/runner/shell',
    '/api/runner/transfers',
    '/api/shells/connect',
    '/api/sign-in',
    '/api/sign-in/access',
    '/api/sign-in/device',
    '/api/sign-in/device/exchange',
    '/api/sign-in/oidc',
    '/api/sign-in/oidc/finish',
    '/api/sign-in/passkey',
    '/api/sign-in/passkey/finish',
    '/audit',
    '/credentials',
    '/deleted',
    '/deployments/*',
    '/device',
    '/docs',
    '/healthz',
    '/members',
    '/openapi.json',
    '/operator',
    '/operator/*',
    '/projects/*',
    '/services/*',
    '/settings',
    '/sign-in',
    '/sign-in/callback',
    '/sign-in/callback/*',
  ]);
  expect(signed.map(({ path }) => path)).toEqual([
    '/api/hooks/git/:serviceId',
    '/api/hooks/github/:githubAppId',
  ]);
});

/** Every route that a key with only this level may use, and one with the level below may not; the rest needs `read` or `write`. */
test.each([
  [
    'deploy',
    [
      'POST /api/services/:serviceId/deployments',
      'POST /api/deployments/:deploymentId/abort',
      'POST /api/deployments/:deploymentId/rollback',
      'POST /api/services/:serviceId/restart',
      'POST /api/services/:serviceId/stop',
      'POST /api/services/:serviceId/start',
      'POST /api/services/:serviceId/uploads',
      'PUT /api/services/:serviceId/uploads/:uploadId',
      'DELETE /api/services/:serviceId/awaited-push',
      'POST /api/keys',
      'DELETE /api/keys/:keyId',
      'POST /api/sign-in-links',
    ],
  ],
  ['destroy', ['GET /api/audit']],
])('the level %s opens exactly these routes beside those of the levels below', (level, paths) => {
  const found = routes.filter(({ access }) => access === level);
  expect(found.map(({ method, path }) => `${method} ${path}`)).toEqual(paths);
});

test("a GET needs read, apart from the audit log, and read opens nothing else but explanations and one's own sessions", () => {
  const isRead = (route: AnyRoute) => levelOf(route) === 'read';
  const others = ofKeys.filter((route) => isRead(route) !== (route.method === 'GET'));
  expect(others.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'POST /api/deployments/:deploymentId/explain-failure',
    'POST /api/services/:serviceId/runs/:runId/explain-failure',
    'POST /api/services/:serviceId/explain-crash',
    'POST /api/sessions',
    'DELETE /api/sessions/:sessionId',
    'DELETE /api/membership',
    'GET /api/audit',
  ]);
});

describe.each(named(ofKeys))('%s', (_, route) => {
  const strangers = strangersOf(route);
  let withoutKey: Promise<string> | undefined;
  const bodyWithoutKey = () => {
    withoutKey ??= ask(route, undefined).then(({ text }) => text);
    return withoutKey;
  };
  test.each([...strangers, ...(route.takesOperator ? [] : ['operator'])])(
    '%s is 401 with one body',
    async (key) => {
      const reply = await ask(route, key);
      expect([reply.status, reply.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
      expect(reply.text).toBe(await bodyWithoutKey());
    },
  );

  test('a key is refused (403) exactly where its level is too low, whatever it names', async () => {
    const needed = keyLevels.indexOf(levelOf(route) ?? 'read');
    const refused = await Promise.all(
      keyLevels.map(async (level) => (await ask(route, level, absent)).status === 403),
    );
    expect(refused).toEqual(keyLevels.map((_, held) => held < needed));
  });

  test('a key that another key has made is refused only where keys and sessions are made or retired', async () => {
    expect((await ask(route, 'made', absent)).status === 403).toBe(
      [
        'POST /api/keys',
        'POST /api/sessions',
        'POST /api/sign-in-links',
        'POST /api/github-apps',
        'POST /api/backup-keys',
        'DELETE /api/backup-keys/:backupKeyId',
        'POST /api/projects/:projectId/trust-policies',
        'PATCH /api/trust-policies/:trustPolicyId',
      ].includes(`${route.method} ${route.path}`),
    );
  });
});

describe.each(named(ofOwner))('%s', (_, route) => {
  test.each([...strangersOf(route), 'operator'])('%s is 401', async (key) => {
    expect((await ask(route, key)).status).toBe(401);
  });

  test('no key and no other member passes (403), whatever it names', async () => {
    for (const key of [...keyLevels, 'viewer', 'deployer', 'developer'])
      for (const found of [{}, absent])
        expect([key, (await ask(route, key, found)).status]).toEqual([key, 403]);
  });

  test('an owner passes, and of another tenant sees nothing of this one', async () => {
    const nothing = route.resource ? 404 : route.body ? 400 : 200;
    const missing = await ask(route, 'owner', absent);
    expect(missing.status).toBe(nothing);
    const foreign = await ask(route, 'otherOwner');
    expect(foreign.status).toBe(nothing);
    if (route.resource) expect(foreign.text).toBe(missing.text);
  });
});

describe.each(named(ofMember))('%s', (_, route) => {
  test.each([...strangersOf(route), 'operator'])('%s is 401', async (key) => {
    expect((await ask(route, key)).status).toBe(401);
  });

  test('no key passes (403), whatever it names', async () => {
    for (const key of keyLevels)
      for (const found of [{}, absent])
        expect([key, (await ask(route, key, found)).status]).toEqual([key, 403]);
  });

  test('each member passes, and sees nothing of another member', async () => {
    const nothing = route.resource ? 404 : route.body || route.method === 'POST' ? 400 : 200;
    for (const role of memberRoles) {
      const missing = await ask(route, role, absent);
      expect([role, missing.status]).toEqual([role, nothing]);
      const foreign = await ask(route, role);
      expect(foreign.status).toBe(nothing);
      if (route.resource) expect(foreign.text).toBe(missing.text);
    }
  });
});

const withResource = (route: AnyRoute) => route.resource !== undefined;

test.each(named(ofKeys.filter(withResource)))(
  '%s gives the same 404 for another project, another tenant and nothing at all',
  async (_, route) => {
    const missing = await ask(route, 'destroy', absent);
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

/** The service is none, or no bytes are sent: a caller who passes is told so (400). */
const isOfOtherKind = ({ path, method }: AnyRoute) =>
  path.includes('/database/') || (path.includes('/uploads') && method !== 'GET');
const isVolumeDrill = ({ path }: AnyRoute) => path.endsWith('/volume-backups/:backupId/prove');

/** Nothing is kept here, and the host is not connected. */
const asksHost = ({ path }: AnyRoute) =>
  path.endsWith('/:serviceId/metrics') ||
  path.endsWith('/:serviceId/requests') ||
  /\/runtime-logs(\/histogram|\/around)?$/.test(path);

/** The app is not registered: a caller who passes is told so (409). */
const isOfGitHubApp = ({ path }: AnyRoute) => path.startsWith('/api/github-apps/:githubAppId/');

/** Only a key for all projects sees it. */
const isOfTenant = ({ path, onlyAllProjects }: AnyRoute) =>
  onlyAllProjects === true ||
  /^\/api\/(registries|git-credentials|github-apps|notification-channels)\//.test(path);

test.each(named(ofKeys.filter(isHarmless)))('%s passes for a key that sees the project', async (_, route) => {
  const expected = isOfGitHubApp(route)
    ? 409
    : route.body || isOfOtherKind(route)
      ? 400
      : asksHost(route)
        ? 503
        : 200;
  expect((await ask(route, 'destroy')).status).toBe(expected);
  const hidden = route.onlyAllProjects ? 403 : 404;
  expect((await ask(route, 'chosen')).status).toBe(isOfTenant(route) ? hidden : expected);
});

describe.each(named(ofOperator))('%s', (_, route) => {
  test.each(strangersOf(route))('%s is 401', async (key) => {
    expect((await ask(route, key)).status).toBe(401);
  });
  test('an API key, even one for all projects, is 403', async () => {
    expect((await ask(route, 'destroy')).status).toBe(403);
  });
});

describe.each(named(signed))('%s', (_, route) => {
  test.each([...strangersOf(route), 'read', 'write', 'operator'])(
    '%s is 401 with one body, whatever it names',
    async (key) => {
      const unsigned = await ask(route, undefined, absent);
      for (const found of [{}, absent]) {
        const reply = await ask(route, key, found);
        expect([reply.status, reply.text]).toEqual([401, unsigned.text]);
      }
    },
  );
});

test.each(named(ofOperator.filter(withResource)))('%s is 404 for what does not exist', async (_, route) => {
  expect((await ask(route, 'operator', absent)).status).toBe(404);
});

/** Takes the resource away, starts work, or stays open: each gets resources of its own, and its answer is not read to the end. */
test.each(named(ofKeys.filter((route) => !isHarmless(route))))(
  '%s passes the checks for a key that sees the project, and not for one of another tenant',
  async (_, route) => {
    const tenantId = await insertTenant(route.path + route.method);
    const own = await insertEveryKind(call, { tenantId });
    const { id, token } = await insertKey({ access: 'destroy', tenantId });
    for (const made of [own.keyId, own.sessionId])
      await deps.db.update(apiKeys).set({ madeBy: id }).where(eq(apiKeys.id, made));
    // Without a resource only the body is wrong, and a stream tells of what the key sees.
    const withoutResource = route.reply === 'stream' ? 200 : 400;
    expect((await ask(route, 'destroy', own)).status).toBe(route.resource ? 404 : withoutResource);
    const context = createExecutionContext();
    const request = new Request(`https://longshore.test${pathOf(route, own)}`, {
      method: route.method,
      headers: { authorization: `Bearer ${token}` },
    });
    const response = await createApp().fetch(request, env, context);
    // 400: no body was sent, the service is none that it has to be, or the backup is none of a volume; 409: the failed deployment; 503: the host is not connected.
    const other = isOfOtherKind(route) || isVolumeDrill(route) ? [400] : [];
    // 403: only a member can leave.
    const passed = [200, 409, 503, ...other, ...(route.path === '/api/membership' ? [403] : [])];
    expect(route.body ? [400] : passed).toContain(response.status);
    await response.body?.cancel();
    await waitOnExecutionContext(context);
  },
);

const childRoutes = routes.filter((route) => parametersOf(route).length > 1);

test('routes below two resources are in the list', () => {
  expect(childRoutes.length).toBeGreaterThanOrEqual(4);
});

let families: Promise<Ids[]> | undefined;
/** In the same project and in another one. No route changes them, since each answers 404. */
const otherFamilies = () => {
  families ??= (async () => [
    await insertEveryKind(call, { projectId: ids.projectId }),
    await insertEveryKind(call),
  ])();
  return families;
};

describe.each(named(childRoutes))('%s', (_, route) => {
  const [parent, ...children] = parametersOf(route);

  test('a child under the wrong parent is 404, as if it did not exist', async () => {
    const missing = await ask(route, 'destroy', absent);
    for (const other of await otherFamilies()) {
      const swapped = { [parent as string]: other[parent as keyof Ids] };
      const reply = await ask(route, 'destroy', swapped);
      expect([reply.status, reply.text]).toEqual([404, missing.text]);
      const theirs = Object.fromEntries(children.map((child) => [child, other[child]]));
      expect((await ask(route, 'chosen', theirs)).text).toBe(missing.text);
    }
  });
});

test.each(named(routes.filter(withResource)))(
  '%s treats an id of another kind as not found',
  async (_, route) => {
    const nothing = route.access === 'signed' ? 401 : 404;
    const key =
      { operator: 'operator', owner: 'owner', member: 'viewer' }[route.access as string] ?? 'destroy';
    const { providerId: _provider, projectSlug: _slug, ...opaque } = ids;
    for (const name of parametersOf(route)) {
      const own = name === 'projectSlug' ? ids.projectId : ids[name];
      const others = Object.values(opaque).filter((other) => other !== own);
      // The kinds are told apart by one loader a resource, which many routes share: a route tries some, its neighbours the others.
      const tried = fixedPart(others, 12, routes.indexOf(route));
      for (const id of tried) {
        const { status } = await ask(route, key, { [name]: id });
        expect([name, id, status]).toEqual([name, id, nothing]);
      }
    }
  },
);
