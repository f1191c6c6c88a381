/** Web pages may call the API only from origins that the operator named. */
import { beforeAll, describe, expect, test } from 'vitest';
import { routes } from '../../../worker/routes.ts';
import { type Client, createClient, insertKey, operatorToken, type Reply } from '../../support/worker/api.ts';

const listed = 'https://app.example.com';
let call: Client;

const set = (corsOrigins: string[]) =>
  call('PATCH', '/api/system/settings', { token: operatorToken, body: { corsOrigins } });
const corsHeaders = ({ headers }: Reply) =>
  [...headers.keys()].filter((name) => name.startsWith('access-control-'));
const preflight = (origin: string) =>
  call('OPTIONS', '/api/projects', { headers: { origin, 'access-control-request-method': 'POST' } });

const token = (await insertKey()).token;

describe('no origin is listed', () => {
  beforeAll(() => {
    call = createClient();
  });

  test('no CORS header is sent, and a preflight is a wrong method', async () => {
    const reply = await call('GET', '/api/projects', { token, headers: { origin: listed } });
    expect([reply.status, corsHeaders(reply)]).toEqual([200, []]);
    const asked = await preflight(listed);
    expect([asked.status, corsHeaders(asked)]).toEqual([405, []]);
  });
});

describe('an origin is listed', () => {
  beforeAll(async () => {
    call = createClient();
    await set([listed]);
  });

  test('the preflight of a listed origin is answered without a key, never with credentials', async () => {
    const asked = await preflight(listed);
    expect(asked.status).toBe(204);
    expect(asked.headers.get('access-control-allow-origin')).toBe(listed);
    for (const { method } of routes)
      expect(asked.headers.get('access-control-allow-methods')?.split(',')).toContain(method);
    expect(asked.headers.get('access-control-allow-headers')).toContain('Idempotency-Key');
    expect(asked.headers.get('access-control-allow-credentials')).toBeNull();
    expect(asked.headers.get('vary')).toContain('Origin');
  });

  test('requests of a listed origin are answered by name, refusals as well', async () => {
    for (const [as, status] of [
      [token, 200],
      ['garbage', 401],
    ] as const) {
      const reply = await call('GET', '/api/projects', { token: as, headers: { origin: listed } });
      expect([reply.status, reply.headers.get('access-control-allow-origin')]).toEqual([status, listed]);
      expect(reply.headers.get('access-control-expose-headers')).toContain('Retry-After');
      expect(reply.headers.get('vary')).toContain('Origin');
    }
  });

  test.each(['https://evil.example.com', 'http://app.example.com', `${listed}.evil.com`, 'null'])(
    'an unlisted origin gets nothing: %s',
    async (origin) => {
      const reply = await call('GET', '/api/projects', { token, headers: { origin } });
      expect([reply.status, corsHeaders(reply)]).toEqual([200, []]);
      expect((await preflight(origin)).status).toBe(405);
    },
  );
});

test.each([
  '*',
  'https://*.example.com',
  'http://app.example.com',
  'https://app.example.com/',
  'https://APP.example.com',
  'https://app.example.com:443',
  'https://user@app.example.com',
  'null',
])('the origin %s cannot be listed', async (origin) => {
  expect((await set([origin])).status).toBe(400);
});
