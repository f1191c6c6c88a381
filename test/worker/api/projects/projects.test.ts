/** Projects, and that each key sees its own ones only. */
import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import {
  createClient,
  insertKey,
  insertProject,
  insertRunner,
  insertService,
  insertTenant,
  type Json,
} from '../../../support/worker/api.ts';

const call = createClient();
const token = (await insertKey()).token;

const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const create = async (body: unknown): Promise<Json> =>
  (await call('POST', '/api/projects', { token, body })).body.project;

test('creating answers the full Project object, empty and idle', async () => {
  const reply = await call('POST', '/api/projects', {
    token,
    body: { name: 'Éclair & Co. 2', description: 'a test' },
  });
  expect(reply.status).toBe(200);
  expect(reply.body).toEqual({
    project: {
      id: expect.stringMatching(/^prj_[a-z0-9]{16}$/),
      name: 'Éclair & Co. 2',
      slug: 'eclair-co-2',
      description: 'a test',
      status: 'idle',
      serviceCount: 0,
      lastUpdatedAt: timestamp,
      services: [],
    },
  });
});

test('the same name gets a numbered slug, also for many at once', async () => {
  const made = await Promise.all(Array.from({ length: 4 }, () => create({ name: 'Twin' })));
  expect(made.map(({ slug }) => slug).sort()).toEqual(['twin', 'twin-2', 'twin-3', 'twin-4']);
  expect((await create({ name: '日本' })).slug).toBe('project');
});

test('a project is read by slug and by id, with its services', async () => {
  const { id, slug } = await create({ name: 'Read me' });
  const runner = await insertRunner();
  const service = await insertService({
    projectId: id,
    runnerId: runner.id,
    status: 'active',
    updatedAt: 99,
  });
  const bySlug = await call('GET', `/api/projects/${slug}`, { token });
  expect(bySlug.body.project).toMatchObject({
    id,
    status: 'active',
    serviceCount: 1,
    services: [{ id: service.id, name: 'Web' }],
  });
  expect((await call('GET', `/api/projects/${id}`, { token })).body).toEqual(bySlug.body);
  const { projects } = (await call('GET', '/api/projects', { token })).body;
  expect(projects.find((one: Json) => one.id === id)).toEqual(bySlug.body.project);
});

test('a rename keeps the slug, and what is absent stays', async () => {
  const { id, slug } = await create({ name: 'Old', description: 'kept' });
  const { body } = await call('PATCH', `/api/projects/${id}`, { token, body: { name: 'New' } });
  expect(body.project).toMatchObject({ id, slug, name: 'New', description: 'kept' });
  const cleared = await call('PATCH', `/api/projects/${id}`, { token, body: { description: '' } });
  expect(cleared.body.project).toMatchObject({ name: 'New', description: '' });
});

test.each([
  ['POST', {}, '"name" is missing'],
  ['POST', { name: '  ' }, '"name" must not be empty'],
  ['POST', { name: 'a', slug: 'b' }, '"slug" is read-only'],
  ['POST', { name: 'a', description: null }, `"description" can't be null`],
  ['PATCH', {}, 'is empty'],
  ['PATCH', { name: null }, `"name" can't be null`],
])("a project's %s %j is refused", async (method, body, sentence) => {
  const path = method === 'POST' ? '/api/projects' : `/api/projects/${(await insertProject()).id}`;
  const reply = await call(method, path, { token, body });
  expect([reply.status, reply.body.error]).toEqual([400, expect.stringContaining(sentence)]);
});

test('a key for chosen projects sees those, creates none, and never sees the others', async () => {
  const [mine, other] = [await insertProject(), await insertProject()];
  const chosen = (await insertKey({ projects: [mine.id] })).token;
  const list = await call('GET', '/api/projects', { token: chosen });
  expect(list.body.projects.map(({ id }: Json) => id)).toEqual([mine.id]);
  expect((await call('GET', `/api/projects/${other.slug}`, { token: chosen })).status).toBe(404);
  const refused = await call('POST', '/api/projects', { token: chosen, body: { nonsense: true } });
  expect([refused.status, refused.body.code]).toEqual([403, 'forbidden']);
});

test('a key of another tenant sees nothing of this one, and has its own slugs', async () => {
  const tenantId = await insertTenant('rival');
  const rival = (await insertKey({ tenantId })).token;
  const here = await create({ name: 'Shared name' });
  expect((await call('GET', '/api/projects', { token: rival })).body.projects).toEqual([]);
  expect((await call('GET', `/api/projects/${here.id}`, { token: rival })).status).toBe(404);
  const there = await call('POST', '/api/projects', { token: rival, body: { name: 'Shared name' } });
  expect(there.body.project.slug).toBe('shared-name');
  expect((await call('GET', '/api/projects/shared-name', { token: rival })).body.project.id).toBe(
    there.body.project.id,
  );
});

test('a project that was chosen for a key of another tenant stays invisible to it', async () => {
  const project = await insertProject();
  const tenantId = await insertTenant('crossed');
  const { token: crossed } = await insertKey({ tenantId, projects: [project.id] });
  expect((await call('GET', `/api/projects/${project.id}`, { token: crossed })).status).toBe(404);
  expect((await call('GET', '/api/projects', { token: crossed })).body.projects).toEqual([]);
});

test('deleting a project removes all that belongs to it and queues work for each of its hosts', async () => {
  const project = await create({ name: 'Doomed' });
  const [one, two] = [await insertRunner(), await insertRunner()];
  for (const runnerId of [one.id, one.id, two.id]) await insertService({ projectId: project.id, runnerId });
  const reply = await call('DELETE', `/api/projects/${project.id}`, { token });
  expect(reply.body).toEqual({ ok: true, proxy: { ok: false, detail: expect.any(String) } });
  expect((await call('GET', `/api/projects/${project.id}`, { token })).status).toBe(404);
  const { results } = await env.DB.prepare('select runner_id, task from host_tasks').all<Json>();
  const tasks = results.map(({ runner_id, task }) => `${runner_id} ${JSON.parse(task).kind}`).sort();
  expect(tasks).toEqual(
    [
      `${one.id} remove-service`,
      `${one.id} remove-service`,
      `${one.id} remove-project`,
      `${two.id} remove-service`,
      `${two.id} remove-project`,
    ].sort(),
  );
  const empty = await create({ name: 'Empty' });
  expect((await call('DELETE', `/api/projects/${empty.id}`, { token })).body).toEqual({
    ok: true,
    proxy: { ok: true, detail: expect.any(String) },
  });
});

test('half of a surrogate pair is refused in name and description', async () => {
  for (const [field, body] of [
    ['name', { name: 'a\ud800' }],
    ['description', { name: 'a', description: '\udfff' }],
  ] as const) {
    const reply = await call('POST', '/api/projects', { token, body });
    expect(reply.status).toBe(400);
    expect(reply.body.error).toContain(`"${field}" must be valid Unicode`);
  }
});
