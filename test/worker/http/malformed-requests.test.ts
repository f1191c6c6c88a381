/**
 * Whatever a client sends, the answer is a refusal it can act on, never a 5xx.
 * @module-tag slow
 * @module-tag matrix
 */
import { env } from 'cloudflare:workers';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { AnyRoute } from '../../../worker/http/route.ts';
import { routes } from '../../../worker/routes.ts';
import { byLevel } from '../../support/level.ts';
import {
  type CallOptions,
  createClient,
  insertKey,
  insertProject,
  insertRunner,
  insertService,
} from '../../support/worker/api.ts';
import { type Ids, insertEveryKind, pathOf } from '../../support/worker/every-kind.ts';
import { insertMember, tokenFor } from '../../support/worker/members.ts';

/** Of the random bodies of a route; the chosen ones are in hostile-input. */
const runs = byLevel({ test: 6, all: 20, everything: 40 });
const call = createClient({ checkReplies: false });
let token: string;
const { id: ownerId, token: owner } = await insertMember();

const project = await insertProject();
const service = await insertService({ projectId: project.id, runnerId: (await insertRunner()).id });
const ids: Record<string, string> = {
  projectId: project.id,
  projectSlug: project.slug,
  serviceId: service.id,
};
const path = (route: AnyRoute) =>
  route.path.replace(/:(\w+)/g, (_, name: string) => ids[name] ?? `no-${name}`);

const withBody = routes.filter(({ body, access }) => body !== undefined && access !== 'public');
const send = (route: AnyRoute, options: CallOptions, query = '') =>
  call(route.method, path(route) + query, {
    token: tokenFor(route, { key: token, owner }),
    ...options,
  });

const hostileText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '\0',
    '\ud800',
    '__proto__',
    'constructor',
    '${',
    '../..',
    "'; drop table projects; --",
    ' ',
  ),
  fc.string({ unit: 'grapheme', minLength: 250, maxLength: 300 }),
);
const hostileValue = fc.oneof(
  hostileText,
  fc.jsonValue({ maxDepth: 4 }),
  fc.constantFrom(null, -1, 1e308, 0.1, 2 ** 53, [], {}),
);
/** Bodies with fields that routes know, so that values get past the names. */
const knownFields = fc.dictionary(
  fc.constantFrom(
    ...[
      'name',
      'description',
      'repoUrl',
      'repoFullName',
      'imageRef',
      'branch',
      'env',
      'key',
      'value',
      'hostname',
    ],
    ...[
      'internalPort',
      'runtimeMode',
      'projects',
      'access',
      'tenantId',
      'corsOrigins',
      'keepDumps',
      'logDays',
      'targetProjectId',
      'id',
    ],
  ),
  hostileValue,
  { maxKeys: 6 },
);

test.each(withBody.map((route) => [`${route.method} ${route.path}`, route] as const))(
  '%s fails for no body with a 5xx',
  async (_, route) => {
    // A key a route: the rate limit would answer for the rest.
    token = (await insertKey()).token;
    const body = fc.oneof(
      { weight: 3, arbitrary: knownFields.map((fields) => JSON.stringify(fields)) },
      fc.json(),
      fc.string({ unit: 'binary' }),
      fc.uint8Array({ maxLength: 64 }),
    );
    await fc.assert(
      fc.asyncProperty(body, async (raw) => {
        const { status, text } = await send(route, { raw: raw as BodyInit });
        expect([status < 500 ? 'answered' : status, status < 500 || text]).toEqual(['answered', true]);
      }),
      { numRuns: runs },
    );
  },
);

/** Public routes that write are the hosts' own: each has its proof looked at first, and PUT takes the bytes of a file. */
const withoutBody = routes.filter(
  ({ body, takesBytes, access, method }) =>
    body === undefined && !takesBytes && access !== 'signed' && access !== 'public' && method !== 'GET',
);

describe.each(withoutBody.map((route) => [`${route.method} ${route.path}`, route] as const))(
  '%s, which takes no body',
  (_, route) => {
    let own: Ids;
    beforeAll(async () => {
      own = await insertEveryKind(call);
      const maker = await insertKey();
      token = maker.token;
      const made = 'update api_keys set made_by = ? where id in (?, ?)';
      await env.DB.prepare(made).bind(maker.id, own.keyId, own.sessionId).run();
      const held = 'set member_id = ? where id = ?';
      await env.DB.prepare(`update passkeys ${held}`).bind(ownerId, own.passkeyId).run();
      await env.DB.prepare(`update identities ${held}`).bind(ownerId, own.identityId).run();
    });
    const answer = (raw: string) =>
      call(route.method, pathOf(route, own), {
        token: tokenFor(route, { key: token, owner }),
        raw,
      });

    test('a field is refused by its name', async () => {
      const { status, body } = await answer('{"force":true}');
      expect([status, body.error]).toEqual([400, expect.stringContaining('"force"')]);
    });

    test.each(['[]', '"x"', 'null', '{'])('%s is refused', async (raw) => {
      expect((await answer(raw)).status).toBe(400);
    });

    test('an empty object counts as no body', async () => {
      const { status, body } = await answer('{}');
      // 409: what failed can't be aborted; 503: the host is not connected; unsupported: the service is no database.
      // 403: only a member can leave.
      const other = route.path === '/api/membership' ? [403] : [];
      expect([200, 409, 503, 'unsupported', ...other]).toContain(status === 400 ? body.code : status);
    });
  },
);

test('no path, query or header causes a 5xx', async () => {
  token = (await insertKey()).token;
  const header = fc.constantFrom(
    ...['authorization', 'idempotency-key', 'cf-connecting-ip', 'origin', 'content-type', 'content-length'],
    ...['content-encoding', 'x-request-id', 'last-event-id', 'accept'],
  );
  const visible = fc.stringMatching(/^[\x20-\x7e]{0,60}$/);
  const reads = routes.filter(({ method, reply }) => method === 'GET' && reply !== 'stream');
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...reads),
      fc.stringMatching(/^[!-"$->@-~]{0,30}$/),
      visible,
      fc.dictionary(header, visible, { maxKeys: 4 }),
      async (route, segment, query, headers) => {
        const { authorization: _, ...others } = headers;
        for (const sent of [headers, others]) {
          const target = `${route.path.replace(/:\w+/g, segment.replaceAll('/', '')) || '/'}?${query}`;
          const as = sent === headers ? {} : { token: tokenFor(route, { key: token, owner }) };
          const reply = await call('GET', target, { ...as, headers: sent });
          expect([target, reply.status < 500]).toEqual([target, true]);
        }
      },
    ),
    { numRuns: byLevel({ test: 30, all: 75, everything: 150 }) },
  );
});

test.each([
  ['gzip', 'Content-Encoding'],
  ['br, gzip', 'Content-Encoding'],
])('a body in %s is refused, and the header named', async (encoding, named) => {
  const headers = { 'content-encoding': encoding };
  const { status, body } = await call('POST', '/api/projects', { token, raw: '{"name":"x"}', headers });
  expect([status, body.code, body.error]).toEqual([400, 'invalid_request', expect.stringContaining(named)]);
});

test.each(['text/plain', 'application/x-www-form-urlencoded', 'nonsense'])(
  'the body is read as JSON whatever Content-Type says: %s',
  async (type) => {
    const headers = { 'content-type': type };
    expect((await call('POST', '/api/projects', { token, raw: '{"name":"typed"}', headers })).status).toBe(
      200,
    );
    expect((await call('POST', '/api/projects', { token, raw: 'name=typed', headers })).body.code).toBe(
      'malformed_json',
    );
  },
);

test('a body that is too deep, names a field twice or sets a prototype is 400', async () => {
  for (const raw of [
    `{"name":${'['.repeat(30)}${']'.repeat(30)}}`,
    '['.repeat(100_000),
    '{"name":"a","name":"b"}',
    '{"name":"a","__proto__":{"description":"x"}}',
  ]) {
    expect((await call('POST', '/api/projects', { token, raw })).status).toBe(400);
  }
});
