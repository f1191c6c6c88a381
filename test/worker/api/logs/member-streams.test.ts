/** Streams that a member or a key has open: what ends them without the member asking again. */
import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, expect, test, vi } from 'vitest';
import { createApp } from '../../../../worker/app.ts';
import {
  createClient,
  deps,
  insertKey,
  insertProject,
  operatorToken,
  type Reply,
} from '../../../support/worker/api.ts';
import { insertDeploymentOf, insertHostedService } from '../../../support/worker/deployment-rows.ts';
import { insertMember } from '../../../support/worker/members.ts';

const call = createClient();
afterEach(() => {
  vi.useRealTimers();
});

/** What a member sends with a request, and a program. */
const headersOf = (token: string): Record<string, string> => {
  const [, cookie, proof] = /^session (\S+) (\S+)$/.exec(token) ?? [];
  if (cookie === undefined) return { authorization: `Bearer ${token}` };
  return { cookie: `__Host-longshore-session=${cookie}`, 'x-longshore-session': proof ?? '' };
};

/** Waits for the end of a stream that is open while the rights of its reader change; only its check, every 60 s, ends it. */
async function endAfter(token: string, change: () => Promise<Reply>): Promise<void> {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const { service } = await insertHostedService();
  const { deployment } = await insertDeploymentOf(service.id, {
    job: { state: 'active', epoch: 1 },
    deployment: { status: 'building' },
  });
  const request = new Request(`https://longshore.test/api/deployments/${deployment.id}/stream`, {
    headers: headersOf(token),
  });
  const response = await createApp().fetch(request, env, createExecutionContext());
  expect(response.status).toBe(200);
  const reader = response.body?.getReader();
  if (!reader) throw new Error('no body');
  await reader.read();
  expect((await change()).status).toBe(200);
  vi.advanceTimersByTime(60_000);
  while (!(await reader.read()).done);
}

const asOperator = (method: string, path: string, body?: unknown) =>
  call(method, path, { token: operatorToken, ...(body === undefined ? {} : { body }) });

test('a removed member loses the open streams within 60 s', { tags: 'slow' }, async () => {
  const { id, token } = await insertMember({ role: 'viewer' });
  await endAfter(token, () => asOperator('DELETE', `/api/system/members/${id}`));
});

test('a member who no longer sees the project loses its open streams within 60 s', {
  tags: 'slow',
}, async () => {
  const other = await insertProject();
  const { id, token } = await insertMember({ role: 'viewer' });
  await endAfter(token, () => asOperator('PATCH', `/api/system/members/${id}`, { projects: [other.id] }));
});

test('a key that is rotated at once, and a session of a key that is rotated, lose the open streams within 60 s', {
  tags: 'slow',
}, async () => {
  const [left, replaced] = [await insertKey(), await insertKey()];
  const made = await insertKey({ kind: 'session', madeBy: left.id, expiresAt: Date.now() + 3_600_000 });
  const session = `session ${made.token} ${await deps.fingerprint('session', made.id)}`;
  await endAfter(session, () => asOperator('POST', `/api/system/keys/${left.id}/rotate`, {}));
  const atOnce = { immediately: true };
  await endAfter(replaced.token, () => asOperator('POST', `/api/system/keys/${replaced.id}/rotate`, atOnce));
});
