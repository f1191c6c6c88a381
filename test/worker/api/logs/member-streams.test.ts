/** Streams that a member has open: what ends them without the member asking again. */
import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, expect, test, vi } from 'vitest';
import { createApp } from '../../../../worker/app.ts';
import { createClient, insertProject, operatorToken, type Reply } from '../../../support/worker/api.ts';
import { insertDeploymentOf, insertHostedService } from '../../../support/worker/deployment-rows.ts';
import { insertMember } from '../../../support/worker/members.ts';

const call = createClient();
afterEach(() => {
  vi.useRealTimers();
});

/** Waits for the end of a stream that is open while the member is changed; only its check, every 60 s, ends it. */
async function endAfter(change: (member: { id: string }) => Promise<Reply>): Promise<void> {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const { service } = await insertHostedService();
  const { deployment } = await insertDeploymentOf(service.id, {
    job: { state: 'active', epoch: 1 },
    deployment: { status: 'building' },
  });
  const member = await insertMember({ role: 'viewer' });
  const [, cookie, proof] = member.token.split(' ');
  const request = new Request(`https://longshore.test/api/deployments/${deployment.id}/stream`, {
    headers: { cookie: `__Host-longshore-session=${cookie}`, 'x-longshore-session': proof ?? '' },
  });
  const response = await createApp().fetch(request, env, createExecutionContext());
  expect(response.status).toBe(200);
  const reader = response.body?.getReader();
  if (!reader) throw new Error('no body');
  await reader.read();
  expect((await change(member)).status).toBe(200);
  vi.advanceTimersByTime(60_000);
  while (!(await reader.read()).done);
}

const asOperator = (method: string, path: string, body?: unknown) =>
  call(method, path, { token: operatorToken, ...(body === undefined ? {} : { body }) });

test('a removed member loses the open streams within 60 s', { tags: 'slow' }, async () => {
  await endAfter(({ id }) => asOperator('DELETE', `/api/system/members/${id}`));
});

test('a member who no longer sees the project loses its open streams within 60 s', {
  tags: 'slow',
}, async () => {
  const other = await insertProject();
  const narrow = ({ id }: { id: string }) =>
    asOperator('PATCH', `/api/system/members/${id}`, { projects: [other.id] });
  await endAfter(narrow);
});
