/** An app of the catalogue, described to the API as the catalogue does it, on a whole instance: database, volume, variables and name. */
import { request } from 'node:http';
import { beforeAll, expect, test } from 'vitest';
import { ensureTestImage } from '../stand-ins/ensure-test-image.ts';
import type { CatalogueService } from '../support/catalogue/app.ts';
import { moreAppsOfCoolify } from '../support/catalogue/more-apps-of-coolify.ts';
import type { Json } from '../support/instance/longshore.ts';
import { useInstance } from '../support/instance/use-instance.ts';

const longshore = useInstance();
const services: Record<string, CatalogueService> =
  moreAppsOfCoolify.find(({ name }) => name === 'WordPress')?.services ?? {};
let service: Json;
let host: string;

const pairs = (values: Record<string, string> = {}) => Object.entries(values);

async function made(project: Json, name: string, { image, engine, port, env, volumes }: CatalogueService) {
  const kind = engine
    ? { repoUrl: 'database', repoFullName: `database:${engine}` }
    : { repoUrl: 'container-image', imageRef: image, internalPort: port };
  const variables = pairs(env).map(([key, value]) => ({ key, value }));
  const one = await longshore.newService(project, { name, ...kind, env: variables });
  for (const [volume, mountPath] of pairs(volumes))
    await longshore.ask('POST', `/api/services/${one.id}/volumes`, { name: volume, mountPath });
  await longshore.deploy(one.id);
  return one;
}

/** Asks for the service by its name, as a browser behind the proxy would. */
function page(path: string, form?: Record<string, string>): Promise<string> {
  const body = form && new URLSearchParams(form).toString();
  const headers = { host, ...(body ? { 'content-type': 'application/x-www-form-urlencoded' } : {}) };
  return new Promise((resolve, reject) => {
    const asked = request(
      { host: '127.0.0.1', port: longshore.httpPort, path, method: body ? 'POST' : 'GET', headers },
      (reply) => {
        let text = '';
        reply
          .setEncoding('utf8')
          .on('data', (chunk) => {
            text += chunk;
          })
          .on('end', () => resolve(text));
      },
    );
    asked.on('error', reject).end(body);
  });
}

beforeAll(async () => {
  await ensureTestImage('wordpress:6.7');
  const project = await longshore.newProject('Blog');
  for (const [name, wanted] of Object.entries(services)) service = await made(project, name, wanted);
  host = new URL((await longshore.overview(service.id)).service.primaryUrl).host;
});

test('WordPress installs itself into the database, and serves its pages after a restart', async () => {
  expect(await page('/wp-admin/install.php')).toContain('WordPress');
  const form = {
    weblog_title: 'Harbour news',
    user_name: 'ada',
    admin_password: 'a-long-password-of-the-test',
    admin_password2: 'a-long-password-of-the-test',
    pw_weak: 'on',
    admin_email: 'ada@example.com',
    blog_public: '0',
  };
  expect(await page('/wp-admin/install.php?step=2', form)).toContain('Success!');
  expect(await page('/wp-login.php')).toContain('Harbour news');
  const { deployment } = await longshore.ask('POST', `/api/services/${service.id}/restart`);
  expect(await longshore.finished(deployment.id, service.id)).toMatchObject({ status: 'running' });
  expect(await page('/wp-login.php')).toContain('Harbour news');
});
