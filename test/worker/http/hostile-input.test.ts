/**
 * Hostile input to every field of every route, generated from the schemas: never a 5xx, each refusal names the field, and accepted
 * values come back unchanged. With `npm test` each field gets some of the values, and its neighbours get others.
 * @module-tag slow
 * @module-tag matrix
 */
import { eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { createDependencies } from '../../../worker/context.ts';
import type { AnyRoute } from '../../../worker/http/route.ts';
import { routes } from '../../../worker/routes.ts';
import { passkeys } from '../../../worker/store/schema/api-keys.ts';
import { executingTexts, hostileBodies, hostileTexts, otherTypes } from '../../support/hostile-values.ts';
import { fixedPart } from '../../support/level.ts';
import {
  type Client,
  createClient,
  deps,
  fromNewAddress,
  insertKey,
  insertService,
  insertTenant,
  type Json,
  operatorToken,
  type Reply,
} from '../../support/worker/api.ts';
import { asciiOf, askWith, bodyCases, tryTestBucket } from '../../support/worker/body-cases.ts';
import {
  brief,
  type Field,
  fieldsOf,
  type Path,
  valueAt,
  withValue,
} from '../../support/worker/body-fields.ts';
import { insertEveryKind, parametersOf, pathOf } from '../../support/worker/every-kind.ts';
import { insertMember, tokenFor } from '../../support/worker/members.ts';

/** What executes on a host is text to the control plane: a few of them do. */
const texts = [...hostileTexts, ...executingTexts('/tmp/canary').slice(0, 4)];

/** Not deployed: what is well formed is answered with 409. */
const aDatabase = { kind: 'database', repoUrl: 'database', repoFullName: 'database:redis' } as const;

const client = createClient({
  dependenciesOf: (of) => ({ ...createDependencies(of), tryBucket: tryTestBucket }),
});
/** Each request from another address: behind a limit by address, no field would be tried. */
const call: Client = (method, path, options) =>
  client(method, path, { ...options, headers: { ...fromNewAddress(), ...options?.headers } });
const tenantId = await insertTenant('hostile');
const ids = await insertEveryKind(call, { tenantId });
const { projectId, runnerId } = ids;
const databaseId = (await insertService({ projectId, runnerId, ...aDatabase })).id;
const token = (await insertKey({ tenantId, lastUsedAt: deps.now() })).token;
const limits = { readsPerMinute: 1_000_000, writesPerMinute: 1_000_000, failedSignInsPerMinute: 1_000_000 };
await call('PATCH', '/api/system/settings', { token: operatorToken, body: limits });

const isOfDatabases = ({ path }: AnyRoute) => path.includes('/database/') && !/:(backup|upload)Id/.test(path);
const placeOf = (route: AnyRoute) =>
  pathOf(route, isOfDatabases(route) ? { ...ids, serviceId: databaseId } : ids);

const nameOf = ({ method, path }: AnyRoute) => `${method} ${path}`;
const { id: ownerId, token: owner } = await insertMember({ tenantId });
await deps.db.update(passkeys).set({ memberId: ownerId }).where(eq(passkeys.id, ids.passkeyId));
const tokenOf = (route: AnyRoute) => tokenFor(route, { key: token, owner });
const withBody = routes.filter(({ body }) => body);
const listed = withBody.map((route) => [nameOf(route), route] as const);

test('each route with a body has an example of every field', () => {
  expect(Object.keys(bodyCases).sort()).toEqual(withBody.map(nameOf).sort());
  for (const [name, { body }] of listed) {
    const examples = bodyCases[name]?.bodies(ids) ?? [];
    const missing = fieldsOf(body).filter(({ path }) => !examples.some((one) => has(one, path)));
    expect([name, missing.map(({ path }) => path.join('.'))]).toEqual([name, []]);
  }
});

const has = (example: Json, path: Path) => valueAt(example, path) !== undefined;

/** First, while no resource is named like one of the texts. */
const odd = [
  '%00',
  'a%00b',
  '%ff',
  '%c0%af',
  '%zz',
  '%',
  '%u0041',
  '..%2f..%2fetc%2fpasswd',
  "'%20OR%201=1%20--",
  '%22%27%60%3b',
  'constructor',
  '__proto__',
  '%F0%9F%98%80',
  '%0d%0aSet-Cookie:%20a=b',
  '1e309',
  '0x10',
  '-1',
  'x'.repeat(8_000),
];

/** Filters and names that no text is wrong for. */
const unlimited = ['actor', 'tenantId', 'table', 'cursor', 'match', 'text', 'regex', 'query'];
/** The host, which is not connected, would be asked. */
const isOfLogs = ({ path }: AnyRoute) =>
  path.includes('/runtime-logs') || path.endsWith('/:serviceId/requests');
const isUnlimited = ([name]: Path) => unlimited.includes(String(name));
/** Queries that a route can't do without, so that another one is looked at. */
const neededQueries = { table: 'a', cron: '0+3+*+*+*' };
const bare = (path: string) => path.replace(/\?.*/, '');
const queried = routes.filter(({ query, access }) => query && access !== 'public');
test.each(queried.map((route) => [nameOf(route), route] as const))(
  '%s survives hostile queries',
  async (_, route) => {
    const place = routes.indexOf(route);
    const isNeeded = (name: string) => fieldsOf(route.query).some(({ path: [field] }) => field === name);
    for (const [at, { path }] of fieldsOf(route.query).entries()) {
      const needed = Object.entries(neededQueries)
        .filter(([name]) => isNeeded(name) && path[0] !== name)
        .map(([name, value]) => `${name}=${value}&`)
        .join('');
      for (const value of ['', ...fixedPart(odd, 18, place + at)]) {
        const reply = await call(route.method, `${bare(placeOf(route))}?${needed}${path[0]}=${value}`, {
          token: tokenOf(route),
        });
        if (isUnlimited(path) && reply.status === (isOfDatabases(route) ? 409 : isOfLogs(route) ? 503 : 200))
          continue;
        expect([path, value, reply.status]).toEqual([path, value, 400]);
        expect(reply.body.error).toContain(`"${path[0]}"`);
      }
    }
    for (const name of fixedPart(odd, 18, place)) {
      const { status } = await call(route.method, `${bare(pathOf(route, ids))}?${name}=1`, {
        token: tokenOf(route),
      });
      expect([name, status]).toEqual([name, 400]);
    }
  },
);

const named = routes.filter((route) => route.path.includes(':'));
test.each(named.map((route) => [nameOf(route), route] as const))(
  '%s survives hostile paths',
  async (_, route) => {
    for (const name of parametersOf(route)) {
      const around = pathOf(route, { ...ids, [name]: '-around-' });
      for (const value of fixedPart(odd, 18, routes.indexOf(route))) {
        const reply = await call(route.method, around.replace('-around-', value), {
          token: tokenOf(route),
          ...(route.method === 'GET' ? {} : { raw: '{' }),
        });
        expect([value, reply.status]).toEqual([value, route.access === 'signed' ? 401 : 404]);
        expect(reply.text.length).toBeLessThan(400);
      }
    }
  },
);

test('headers are never echoed, and never cause a 5xx', async () => {
  const names = ['x-request-id', 'idempotency-key', 'last-event-id', 'origin', 'content-type', 'accept'];
  const values = [
    '',
    ' ',
    '../..',
    '<script>',
    '{{7*7}}',
    "' OR 1=1 --",
    '-1',
    '1e309',
    'x'.repeat(10_000),
    '\xff\xfe',
  ];
  for (const name of [
    ...names,
    'content-length',
    'cf-connecting-ip',
    'x-forwarded-for',
    'upgrade',
    'range',
  ]) {
    for (const value of values) {
      for (const [method, path, body] of [
        ['GET', `/api/deployments/${ids.deploymentId}/logs`, undefined],
        ['POST', '/api/projects', { name: 'header' }],
      ] as const) {
        const reply = await call(method, path, { token, headers: { [name]: value }, body });
        expect(reply.status, `${name}: ${brief(value)} gives ${brief(reply.text)}`).toBeLessThan(500);
        const back = [...reply.headers.values()].filter(
          (header) => !/^[\w= -]*$/.test(value) && header.includes(value),
        );
        expect(back).toEqual([]);
      }
    }
  }
});

test('a value that is not a key is 401, whatever it looks like', async () => {
  const garbage = [
    '',
    'lsk_',
    'a b',
    "' OR 1=1 --",
    'x'.repeat(10_000),
    '\xff',
    `${token}x`,
    token.slice(0, -1),
    token.toUpperCase(),
  ];
  for (const one of garbage) {
    const { status } = await call('GET', '/api/projects', { token: one });
    expect([brief(one), status]).toEqual([brief(one), 401]);
  }
  for (const header of [
    `Basic ${btoa(`a:${token}`)}`,
    token,
    `Token ${token}`,
    `Bearer ${token}, Bearer x`,
  ]) {
    const { status } = await call('GET', `/api/projects?token=${token}`, {
      headers: { authorization: header },
    });
    expect([header, status]).toEqual([header, 401]);
  }
});

describe.each(listed)('%s', (name, route) => {
  const send = async (body: { body: unknown } | { raw: BodyInit }) => {
    const reply = await call(route.method, placeOf(route), { token: tokenOf(route), ...body });
    expect(reply.status, `${brief(body)} gives ${brief(reply.text)}`).toBeLessThan(500);
    return reply;
  };

  test('the example of the route is accepted', async () => {
    for (const body of bodyCases[name]?.bodies(ids) ?? []) {
      const reply = await send({ body });
      const refusals = [
        undefined,
        'not_found',
        'conflict',
        'unauthenticated',
        'invalid_request',
        'unsupported',
      ];
      const expected = examplesRefused.has(name) ? refusals : [undefined];
      expect(expected, reply.text).toContain(reply.body.code);
    }
  });

  test('hostile texts in every field are survived', async () => {
    const fields = fieldsOf(route.body).filter(({ types }) => types.has('string'));
    for (const [place, field] of fields.entries()) {
      for (const text of fixedPart(texts, 24, place)) await tryField(field, text);
    }
  });

  test('values of other types in every field are refused', async () => {
    for (const [place, field] of fieldsOf(route.body).entries()) {
      for (const value of ofOtherTypes(place)) {
        if (field.path[0] === 'verify' && value === true) continue; // it would ask the provider
        const reply = await tryField(field, value);
        if (isOtherType(field, value))
          expect([field.path, brief(value), reply.status]).toEqual([field.path, brief(value), 400]);
      }
    }
  });

  test('bodies that are ambiguous or no JSON object are refused', async () => {
    const [field] = fieldsOf(route.body);
    for (const raw of fixedPart(hostileBodies(String(field?.path[0])), 12, routes.indexOf(route))) {
      const { status, text } = await send({ raw });
      expect([status, text.length < 400], `${brief(raw.slice(0, 80))} gives ${brief(text)}`).toEqual([
        400,
        true,
      ]);
    }
  });

  async function tryField({ path }: Field, value: unknown): Promise<Reply> {
    const example = bodyCases[name]?.bodies(ids).find((one) => has(one, path));
    const sent = withValue(example, path, value);
    const reply = await send({ body: sent });
    const where = `${path.join('.')} = ${brief(value)} gives ${brief(reply.text)}`;
    if (reply.status === 200) await expectUnchanged(sent, path, reply.body, where);
    // An import of another engine is refused whatever its fields are.
    // Well formed, an answer of a passkey is still one to no challenge of this test.
    const isOfDevice = path[0] === 'name' && /answer of the passkey/.test(reply.body.error);
    if (reply.body.code !== 'unsupported' && !isOfDevice && (reply.status === 400 || reply.status === 413)) {
      expect(
        path.some((step) => reply.body.error.includes(String(step))),
        where,
      ).toBe(true);
      expect(reply.text.length, where).toBeLessThan(700);
    }
    for (const header of reply.headers.values()) expect(header).not.toMatch(/Set-Cookie|X-Injected/);
    return reply;
  }

  async function expectUnchanged(sent: Json, path: Path, reply: Json, where: string): Promise<void> {
    const shown = bodyCases[name]?.shown;
    if (!shown) return;
    const seen = valueAt(await shown(askWith(call, token, operatorToken), ids, { sent, reply }), path);
    const field = String(path.at(-1));
    const isObject = typeof seen === 'object' && seen !== null && !Array.isArray(seen); // its members are fields of their own
    if (!secretFields.has(field) && seen !== undefined && !isObject) {
      expect(JSON.stringify(seen), where).toBe(JSON.stringify(asDocumented(field, valueAt(sent, path))));
    }
  }
});

/** One value of every second type with `npm test`; the next field gets those of the others. */
const ofOtherTypes = (place: number) =>
  fixedPart(otherTypes, 2, place).flatMap((values) => fixedPart(values, values.length, place >> 1));

/** May be refused in the state that things are in here: nothing to move to, no provider, no model, no enrolment, no database that runs. */
const examplesRefused = new Set([
  'POST /api/services/:serviceId/database/backups/:backupId/restore', // it failed
  'POST /api/services/:serviceId/volume-backups', // never deployed
  'POST /api/services/:serviceId/volume-backups/:backupId/restore', // of a database
  ...withBody.filter(isOfDatabases).map(nameOf),
  'POST /api/services/:serviceId/deployments', // a service from a repository takes no folder
  'POST /api/services/:serviceId/uploads', // likewise
  'POST /api/services/:serviceId/host-port', // which ports are right depends on the kind and the host
  'POST /api/services/:serviceId/transfer',
  'POST /api/services/:serviceId/move', // there is one host here
  'POST /api/services/:serviceId/run', // nothing is live
  'POST /api/services/:serviceId/shells',
  'PATCH /api/services/:serviceId', // a service from a repository has no command
  'POST /api/services/:serviceId/domains/:domainId/dns-records',
  'PUT /api/services/:serviceId/domains/:domainId/certificate', // it has to be for the name
  'PATCH /api/system/dns-providers/:providerId',
  'POST /api/system/strays/remove', // the service has a row: it is no stray
  'POST /api/runner/enrol',
  'POST /api/runner/backup-copy/completion',
  'POST /api/system/keys',
  'POST /api/keys', // days are for members
  'POST /api/system/identity-providers', // the project is of another tenant
  'POST /api/sign-in/device/exchange', // nothing was started
  'POST /api/sign-in/device/find', // no device waits with the code
  'POST /api/sign-in/device/allow', // likewise
  'POST /api/sign-in/device/deny', // likewise
  'POST /api/sign-in/oidc', // no provider is enabled
  'POST /api/sign-in/oidc/finish', // nothing was started
  'POST /api/sign-in/passkey/finish', // likewise
  'POST /api/passkeys', // likewise
  'POST /api/keys/exchange', // no policy trusts the token
  'POST /api/sign-in/access', // it has signed nothing
  'POST /api/identities/attempts', // no provider is enabled
  'POST /api/identities', // nothing was started
  'POST /api/identities/access', // it has signed nothing
  'POST /api/system/tenants/:tenantId/members', // the tenant has no projects
  'POST /api/deployments/:deploymentId/explain-failure',
  'POST /api/services/:serviceId/explain-crash', // nothing has crashed
  'POST /api/services/:serviceId/runs/:runId/explain-failure',
]);
/** Never given back. */
const secretFields = new Set([
  'gitToken',
  'password',
  'token',
  'apiKey',
  'clientSecret',
  'secret',
  'secretAccessKey',
]);
const hostFields = new Set(['hostname', 'rootDomain', 'databasePublicHostname']);
const optionalTexts = new Set([
  'rootDir',
  'installCommand',
  'buildCommand',
  'startCommand',
  'staticOutput',
  'dockerfilePath',
  'buildTarget',
  'healthCheckPath',
]);

/** How a taken value may differ from the sent one, and nothing else may. */
function asDocumented(field: string, value: Json): Json {
  if (optionalTexts.has(field) && value === '') return null;
  if (typeof value !== 'string') return value;
  if (field === 'name' || field === 'defaultModel' || field === 'command') return value.trim();
  if (field === 'baseUrl') return new URL(value).href.replace(/\/+$/, '');
  if (field === 'url') return new URL(value).href;
  return hostFields.has(field) ? asciiOf(value) : value;
}

const typeOf = (value: unknown) => {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
};

const isOtherType = ({ types }: Field, value: unknown) =>
  types.size > 0 && !types.has(typeOf(value)) && !(typeof value === 'number' && types.has('integer'));
