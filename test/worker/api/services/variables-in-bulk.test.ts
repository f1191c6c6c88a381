// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of variables are written like that
/** Several variables in one call, the list of variables, and the service alone. */
import { expect, test } from 'vitest';
import {
  createClient,
  insertKey,
  insertProject,
  insertRunner,
  insertService,
} from '../../../support/worker/api.ts';

const call = createClient();
const { token } = await insertKey();
const reader = (await insertKey({ access: 'read' })).token;
const runnerId = (await insertRunner()).id;

async function scene() {
  const project = await insertProject();
  const service = await insertService({ projectId: project.id, runnerId, slug: 'web' });
  const path = `/api/services/${service.id}`;
  return {
    path,
    set: (body: unknown) => call('POST', `${path}/env/bulk`, { token, body }),
    list: async (as = token) => (await call('GET', `${path}/env`, { token: as })).body.env,
  };
}

test('the text of a .env file sets all its variables and leaves the others', async () => {
  const { path, set, list } = await scene();
  const one = await call('POST', `${path}/env`, { token, body: { key: 'OLD', value: 'o' } });
  await call('POST', `${path}/env`, { token, body: { key: 'MODE', value: 'before' } });
  const { status, body } = await set({ text: 'MODE=after\nAPI_KEY="sk_live_abcdef"\nURL=${nosuch.URL}\n' });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    ok: true,
    env: [
      { key: 'MODE', created: false },
      { key: 'API_KEY', created: true },
      { key: 'URL', created: true },
    ],
    warnings: [expect.stringContaining('nosuch')],
  });
  const listed = await list();
  expect(listed.map(({ key, value }: Record<string, string>) => [key, value])).toEqual([
    ['OLD', 'o'],
    ['MODE', 'after'],
    ['API_KEY', 'sk_live_abcdef'],
    ['URL', '${nosuch.URL}'],
  ]);
  expect(listed[0].id).toBe(one.body.id);
  expect(listed.slice(1).map(({ id }: { id: string }) => id)).toEqual(
    body.env.map(({ id }: { id: string }) => id),
  );
  const hidden = (await list(reader)).find(({ key }: { key: string }) => key === 'API_KEY');
  expect(hidden).toMatchObject({ hasValue: true, secret: true, value: '', resolvedValue: '' });
});

test.each([
  [{ text: 'GOOD=1\nbad line' }, 400, 'line 2'],
  [
    {
      env: [
        { key: 'GOOD', value: '1' },
        { key: 'bad', value: '2' },
      ],
    },
    400,
    'env[1].key',
  ],
  [{ text: `GOOD=1\nBIG=${'x'.repeat(65 * 1024)}` }, 413, 'BIG'],
  [{}, 400, 'either "text" or "env"'],
  [{ text: 'A=1', env: [] }, 400, 'either "text" or "env"'],
])('one wrong variable sets none: %j', async (body, status, sentence) => {
  const { set, list } = await scene();
  const reply = await set(body);
  expect([reply.status, reply.body.error]).toEqual([status, expect.stringContaining(sentence)]);
  expect(await list()).toEqual([]);
});

test('a service is read alone, and a domain that was added is answered with its id and address', async () => {
  const { path } = await scene();
  const { body } = await call('GET', path, { token: reader });
  const whole = (await call('GET', `${path}/overview`, { token: reader })).body;
  expect(body).toEqual({ service: whole.service });
  const added = await call('POST', `${path}/domains`, { token, body: { hostname: 'shop.example.com' } });
  const { domains, publicIp } = (await call('GET', `${path}/overview`, { token })).body;
  expect(added.body).toMatchObject({ ok: true, domain: domains[0], targetIp: publicIp });
  expect(added.body.domain).toMatchObject({ status: 'pending' });
});
