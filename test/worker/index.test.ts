/** The Worker's entry as Cloudflare calls it. */
import { exports } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import { operatorToken } from '../support/worker/api.ts';

test('the Worker serves the API with the real bindings', async () => {
  const headers = { authorization: `Bearer ${operatorToken}` };
  const body = JSON.stringify({ name: 'first', access: 'write', projects: 'all' });
  const created = await exports.default.fetch('https://longshore.test/api/system/keys', {
    method: 'POST',
    headers,
    body,
  });
  const { token } = await created.json<{ token: string }>();
  const listed = await exports.default.fetch('https://longshore.test/api/projects', {
    headers: { authorization: `Bearer ${token}` },
  });
  expect([listed.status, await listed.json()]).toEqual([200, { projects: [] }]);
});

test('the Worker answers unknown routes in the form of all errors', async () => {
  const reply = await exports.default.fetch('https://longshore.test/nowhere');
  expect(reply.status).toBe(404);
  expect(await reply.json()).toEqual({
    error: 'This route does not exist.',
    code: 'not_found',
    requestId: reply.headers.get('x-request-id'),
  });
});
