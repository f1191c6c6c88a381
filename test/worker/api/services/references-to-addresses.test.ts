// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of variables are written like that
/** The addresses of a service as references in variables. */
import { expect, test } from 'vitest';
import type { Json } from '../../../support/worker/api.ts';
import { newHost } from '../../../support/worker/host.ts';
import { serviceBench } from '../../../support/worker/services.ts';

const bench = await serviceBench();
const host = await newHost();
const image = { repoUrl: 'container-image', imageRef: 'nginx:1.27', runnerId: host.runnerId };
const create = async (body: object) =>
  (await bench.create({ ...image, ...body }, host.project.id)).body.service;

/** The variables as a key with write access sees them, which are those that a deployment brings. */
async function environmentOf(serviceId: string): Promise<Record<string, string>> {
  const { env } = await bench.overview(serviceId);
  return Object.fromEntries(env.map((one: Json) => [one.key, one.resolvedValue]));
}

test('a container gets the public address of its own service, and the inner one of another', async () => {
  const api = await create({ name: 'api', internalPort: 8080, runtimeMode: 'worker' });
  const web = await create({
    name: 'web',
    env: [
      { key: 'APP_URL', value: '${PUBLIC_URL}/' },
      { key: 'PUBLIC_URL', value: '${PUBLIC_URL}' },
      { key: 'HOSTS', value: '${web.PUBLIC_HOST},localhost' },
      { key: 'API', value: '${api.INTERNAL_URL}' },
      { key: 'NONE', value: '${api.PUBLIC_URL}' },
    ],
  });
  const { primaryUrl } = (await bench.overview(web.id)).service;
  expect(await environmentOf(web.id)).toMatchObject({
    APP_URL: `${primaryUrl}/`,
    PUBLIC_URL: primaryUrl,
    HOSTS: `${new URL(primaryUrl).host},localhost`,
    API: `http://${api.slug}:8080`,
    NONE: '${api.PUBLIC_URL}',
  });
  expect((await bench.overview(web.id)).warnings).toEqual([
    'NONE: ${api.PUBLIC_URL} stays as written, because the service "api" has no variable PUBLIC_URL.',
  ]);
});

test('a static site has no inner address', async () => {
  const git = { repoFullName: 'owner/site', repoUrl: 'https://github.com/owner/site', staticOutput: 'dist' };
  const site = await create({ name: 'site', ...git, imageRef: undefined });
  const { warnings } = (
    await bench.call('POST', `/api/services/${site.id}/env`, {
      token: bench.token,
      body: { key: 'A', value: '${INTERNAL_URL} ${PUBLIC_URL}' },
    })
  ).body;
  expect(warnings).toEqual([expect.stringContaining('${INTERNAL_URL} stays as written')]);
});
