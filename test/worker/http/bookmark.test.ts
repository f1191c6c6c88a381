/** Reads near the client, by D1's sessions: who answers a request, and that a client sees what it wrote. */

import { createExecutionContext, env, waitOnExecutionContext } from 'cloudflare:test';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { createClient as createTypedClient } from '../../../client/client.ts';
import { createApp } from '../../../worker/app.ts';
import type { Env } from '../../../worker/env.ts';
import { isolateMemory } from '../../../worker/http/isolate-memory.ts';
import { insertKey, insertProject, insertRunner, insertService } from '../../support/worker/api.ts';
import { ReplicatedD1 } from '../../support/worker/d1/replicated-d1.ts';

const project = await insertProject();
const runner = await insertRunner();
const service = await insertService({ projectId: project.id, runnerId: runner.id, slug: 'near' });
const { token } = await insertKey({ lastUsedAt: Date.now() });
let database: ReplicatedD1;
beforeAll(async () => {
  // The isolate reads the schema's version and the settings once.
  database = new ReplicatedD1();
  await call('GET', '/api/projects');
});
beforeEach(() => {
  database = new ReplicatedD1();
});

const app = createApp({ memory: isolateMemory({ signInGatherMs: 0 }) });
async function call(
  method: string,
  path: string,
  { bookmark, body, as = token }: Record<string, string> = {},
) {
  const crossed = database.crossings;
  const context = createExecutionContext();
  const headers = { authorization: `Bearer ${as}`, ...(bookmark ? { 'x-bookmark': bookmark } : {}) };
  const request = new Request(`https://longshore.test${path}`, {
    method,
    headers,
    ...(body ? { body } : {}),
  });
  const response = await app.fetch(request, { ...env, DB: database.binding } as Env, context);
  const answered = { status: response.status, crossings: database.crossings - crossed };
  const text = await response.text();
  await waitOnExecutionContext(context);
  return { ...answered, text, bookmark: response.headers.get('x-bookmark') };
}
const variables = `/api/services/${service.id}/env`;
const write = (bookmark?: string) =>
  call('POST', variables, {
    body: JSON.stringify({ key: 'NEAR', value: 'yes' }),
    ...(bookmark ? { bookmark } : {}),
  });

test('without the header the primary answers, and no bookmark is told', async () => {
  expect(await call('GET', '/api/projects')).toMatchObject({ status: 200, crossings: 1, bookmark: null });
});

test('a read that may be a little old crosses no distance', async () => {
  const read = await call('GET', '/api/projects', { bookmark: 'nearest' });
  expect(read).toMatchObject({
    status: 200,
    crossings: 0,
    bookmark: expect.stringMatching(/^[0-9a-f-]{35}$/),
  });
});

test('a write crosses at most twice, and its bookmark makes the next read see it', async () => {
  database.lag = 1;
  const written = await write('nearest');
  expect(written.status).toBe(200);
  expect(written.crossings).toBeLessThanOrEqual(2);
  const bookmark = written.bookmark ?? '';
  expect(await call('GET', variables, { bookmark })).toMatchObject({ status: 200, crossings: 1 });
  database.lag = 0;
  expect(await call('GET', variables, { bookmark })).toMatchObject({ status: 200, crossings: 0 });
});

test('a malformed bookmark is refused with the way out, after the key is checked', async () => {
  const refused = await call('GET', '/api/projects', { bookmark: 'first-primary' });
  expect(refused).toMatchObject({ status: 400, bookmark: null });
  expect(JSON.parse(refused.text)).toMatchObject({
    code: 'invalid_request',
    error: expect.stringContaining('Leave it out'),
  });
  expect(await call('GET', '/api/projects', { bookmark: 'x', as: 'nobody' })).toMatchObject({ status: 401 });
});

test('the typed client sends the newest bookmark that it has seen', async () => {
  const sent: (string | null)[] = [];
  const client = createTypedClient({
    url: 'https://longshore.test',
    token,
    readsNear: true,
    async fetch(target, init) {
      const request = new Request(target as URL, init);
      sent.push(request.headers.get('x-bookmark'));
      return app.fetch(request, { ...env, DB: database.binding } as Env, createExecutionContext());
    },
  });
  await client.call('POST /api/services/:serviceId/env', {
    params: { serviceId: service.id },
    body: { key: 'A', value: 'b' },
  });
  await client.call('GET /api/projects');
  expect(sent).toEqual(['nearest', expect.stringMatching(/^[0-9a-f]{8}-/)]);
  expect(Number.parseInt(sent[1] ?? '', 16)).toBeGreaterThan(0);
});
