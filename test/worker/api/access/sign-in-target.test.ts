/** Whom a link would sign in, shown before it is used. */
import { expect, test } from 'vitest';
import { createClient, insertKey, insertTenant } from '../../../support/worker/api.ts';
import { insertMember } from '../../../support/worker/members.ts';

const call = createClient();
const tenantId = await insertTenant('Harbour');
const shownFor = (token: string) => call('GET', '/api/sign-in-link', { token });
const codeOf = ({ body }: Awaited<ReturnType<typeof call>>): string =>
  body.link.path.replace('/sign-in#', '');

test('the code of a link shows member, tenant and who made it, as often as asked, and still opens its session once', async () => {
  const [owner, member] = [
    await insertMember({ tenantId }),
    await insertMember({ tenantId, role: 'deployer' }),
  ];
  const code = codeOf(await call('POST', `/api/members/${member.id}/links`, { token: owner.token }));
  for (let n = 0; n < 3; n++) {
    const { status, body } = await shownFor(code);
    expect([status, body.signIn]).toEqual([
      200,
      {
        ...{ name: 'Ada', email: `${member.id}@example.com`, tenant: 'Harbour' },
        linkedBy: [{ id: owner.id, name: 'Ada' }],
      },
    ]);
  }
  expect((await call('POST', '/api/sessions', { token: code, body: {} })).status).toBe(200);
  expect((await shownFor(code)).status).toBe(401);
});

test('the code of a key shows the key, and a code that is none, is used or was revoked shows nothing (401)', async () => {
  const key = await insertKey({ tenantId, name: 'ci' });
  const code = codeOf(await call('POST', '/api/sign-in-links', { token: key.token }));
  expect((await shownFor(code)).body.signIn).toEqual({
    name: 'ci',
    email: null,
    tenant: 'Harbour',
    linkedBy: [],
  });
  for (const wrong of [`${code.slice(0, -2)}xx`, 'lsk_nothing', ''])
    expect((await shownFor(wrong)).status).toBe(401);
});
