// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of variables are written like that
/** Who refers to whom in a project, by names alone. */
import { expect, test } from 'vitest';
import { createClient, insertKey } from '../../../support/worker/api.ts';
import { newHost } from '../../../support/worker/host.ts';

const call = createClient();

test('references between services are listed by the names of variables, without a value, for a read key too', {
  tags: 'slow',
}, async () => {
  const host = await newHost();
  const { token } = await insertKey();
  const { token: readToken } = await insertKey({ access: 'read' });
  const db = await host.addService({ slug: 'db', name: 'Main database' });
  const web = await host.addService({ slug: 'web' });
  const set = (service: { id: string }, key: string, value: string) =>
    call('POST', `/api/services/${service.id}/env`, { token, body: { key, value } });
  await set(db, 'PASSWORD', 'hidden-value');
  await set(web, 'URL', 'postgres://app:${db.PASSWORD}@db/${NAME}');
  await set(web, 'BY_NAME', '${Main database.PASSWORD}');
  await set(web, 'OWN', '${web.URL}');
  await set(web, 'NAME', 'hidden-value');
  await set(web, 'GONE', '${gone.URL} $${db.PASSWORD}');
  const { status, body } = await call('GET', `/api/projects/${host.project.id}/references`, {
    token: readToken,
  });
  expect(status).toBe(200);
  expect(body).toEqual({
    services: [
      { serviceId: db.id, slug: 'db', keys: expect.arrayContaining(['PASSWORD']) },
      {
        serviceId: web.id,
        slug: 'web',
        keys: expect.arrayContaining(['BY_NAME', 'GONE', 'INTERNAL_URL', 'NAME', 'OWN', 'URL']),
      },
    ],
    references: [{ serviceId: web.id, targetServiceId: db.id, keys: ['BY_NAME', 'URL'] }],
    isComplete: true,
  });
  expect(JSON.stringify(body)).not.toContain('hidden-value');
});
