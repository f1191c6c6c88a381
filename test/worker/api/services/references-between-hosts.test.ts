// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of variables are written like that
/** A reference to the private address of a service on another host leads nowhere: every place that shows warnings says so. */
import { expect, test } from 'vitest';
import { insertRunner } from '../../../support/worker/api.ts';
import { FakeRunner } from '../../../support/worker/fake-runner.ts';
import { newHost } from '../../../support/worker/host.ts';
import { serviceBench } from '../../../support/worker/services.ts';

const reference = { key: 'DATABASE_URL', value: '${db.DATABASE_URL}' };
const sentence = () =>
  `DATABASE_URL: \${db.DATABASE_URL} leads to "db" on another host, where this service can't reach it: ` +
  `set "databasePublicEnabled" of "db" to true and use \${db.DATABASE_URL_PUBLIC}, or move this service to the host of "db" ("runnerId": "${database.runnerId}").`;
const post = (path: string, body?: object) => bench.call('POST', path, { token: bench.token, body });
const create = (body: object) => bench.create(body, host.project.id);

const bench = await serviceBench();
const host = await newHost();
const runner = await FakeRunner.connect(host.keys);
const { id: otherHost } = await insertRunner();
const engine = { repoFullName: 'database:postgres', repoUrl: 'database' };
const database = (await create({ name: 'db', ...engine, runnerId: otherHost })).body.service;
const image = { repoUrl: 'container-image', imageRef: 'nginx:1.27', runnerId: host.runnerId };
const web = (await create({ name: 'web', ...image })).body.service;

test('the answers that write it, the overview and the log of the deployment warn', async () => {
  const set = await post(`/api/services/${web.id}/env`, reference);
  expect(set.body).toMatchObject({ ok: true, warnings: [sentence()] });
  expect((await bench.overview(web.id)).warnings).toEqual([sentence()]);
  await post(`/api/services/${web.id}/deployments`);
  expect((await runner.nextDeployment()).spec.warnings).toEqual([sentence()]);
  const { imageRef, runnerId } = web;
  const more = { name: 'more', repoUrl: 'container-image', imageRef, runnerId, env: [reference] };
  expect((await create(more)).body.warnings).toEqual([sentence()]);
});

test('a variable behind another one is found, and a service that moves to the host of the database is not warned of', async () => {
  const { imageRef } = web;
  const idle = { name: 'idle', repoUrl: 'container-image', imageRef, runnerId: database.runnerId };
  const created = await create({ ...idle, env: [{ key: 'URL', value: '${DATABASE_URL}?a' }, reference] });
  expect(created.body).toEqual({ service: expect.anything() });
  const { id } = created.body.service;
  const away = await bench.patch(id, { runnerId: host.runnerId });
  expect(away.body.warnings).toEqual([sentence()]);
  expect((await bench.patch(id, { runnerId: database.runnerId })).body.warnings).toBe(undefined);
});

test('the public address, a password, and a stored variable of the same name are reached from everywhere', async () => {
  await bench.patch(database.id, { databasePublicEnabled: true, databasePublicHostname: 'db.example.com' });
  for (const value of ['${db.DATABASE_URL_PUBLIC}', '${db.POSTGRES_PASSWORD}']) {
    const body = { ...reference, value };
    expect((await post(`/api/services/${web.id}/env`, body)).body).toEqual({
      ok: true,
      id: expect.any(String),
    });
  }
  const { warnings } = (await post(`/api/services/${web.id}/env`, reference)).body;
  expect(warnings).toEqual([expect.stringContaining('reach it: use ${db.DATABASE_URL_PUBLIC}, or move')]);
  await post(`/api/services/${database.id}/env`, { key: 'DATABASE_URL', value: 'postgres://elsewhere' });
  expect((await post(`/api/services/${web.id}/env`, reference)).body).toEqual({
    ok: true,
    id: expect.any(String),
  });
});

test('the private address of an app on another host warns, and its public one does not', async () => {
  const away = { name: 'api', ...image, runnerId: otherHost, internalPort: 8080 };
  expect((await create(away)).status).toBe(200);
  const set = (value: string) => post(`/api/services/${web.id}/env`, { key: 'API', value });
  expect((await set('${api.INTERNAL_URL}')).body.warnings).toContainEqual(
    `API: \${api.INTERNAL_URL} leads to "api" on another host, where this service can't reach it: ` +
      `use \${api.PUBLIC_URL}, or move this service to the host of "api" ("runnerId": "${otherHost}").`,
  );
  expect((await set('${api.PUBLIC_URL}')).text).not.toContain('API:');
});

test('the internal name of a service that sleeps warns, because it wakes nobody, and its public one does not', async () => {
  const sleepy = { name: 'sleepy', ...image, internalPort: 8080, sleepAfterMinutes: 30 };
  const { id } = (await create(sleepy)).body.service;
  const set = (value: string) => post(`/api/services/${web.id}/env`, { key: 'SLEEPY', value });
  const warning =
    'SLEEPY: ${sleepy.INTERNAL_URL} leads to "sleepy" by its internal name, which does not wake it when it sleeps: ' +
    'use ${sleepy.PUBLIC_URL}, or set "sleepAfterMinutes" of "sleepy" to null.';
  expect((await set('${sleepy.INTERNAL_URL}')).body.warnings).toContainEqual(warning);
  expect((await bench.overview(web.id)).warnings).toContainEqual(warning);
  expect((await set('${sleepy.PUBLIC_URL}')).body.warnings ?? []).not.toContainEqual(warning);
  await set('${sleepy.INTERNAL_URL}');
  const ofCaller = warning.replace('SLEEPY:', 'web.SLEEPY:');
  expect((await bench.patch(id, { sleepAfterMinutes: 60 })).body.warnings).toEqual([ofCaller]);
  expect((await bench.patch(id, { sleepAfterMinutes: null })).body.warnings).toBeUndefined();
  expect((await bench.overview(web.id)).warnings).not.toContainEqual(warning);
});
