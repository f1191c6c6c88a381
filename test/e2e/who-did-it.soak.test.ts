/** Two members work on one project with real containers, one in a browser's session and one with a key of their own: each change says who made it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { Json } from '../support/instance/longshore.ts';
import { webApp } from '../support/instance/repository.ts';
import { useInstance, useRepositories } from '../support/instance/use-instance.ts';

const repositories = useRepositories();
const longshore = useInstance();
let project: Json;
let web: Json;
let database: Json;
let url: string;
type Headers = Record<string, string>;
const people: Record<'Ada' | 'Grace', { id: string; headers: Headers }> = {} as never;

async function send(headers: Headers, method: string, path: string, body?: unknown): Promise<Response> {
  const reply = await fetch(`${url}/api${path}`, {
    ...{ method, headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`);
  return reply;
}

/** The headers of a browser in which a new owner is signed in. */
async function newOwner(name: string) {
  const path = '/api/system/tenants/default/members';
  const body = { email: `${name.toLowerCase()}@example.com`, name, role: 'owner' };
  const { member, link } = await longshore.operate('POST', path, body);
  const code = { authorization: `Bearer ${link.path.split('#')[1]}` };
  const opened = await send(code, 'POST', '/sessions', {});
  const cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? '';
  const { proof } = (await opened.json()) as { proof: string };
  return { id: member.id as string, headers: { cookie, 'x-longshore-session': proof } };
}

beforeAll(async () => {
  ({ url } = JSON.parse(await readFile(join(longshore.dataDirectory, 'local.json'), 'utf8')));
  people.Ada = await newOwner('Ada');
  const grace = await newOwner('Grace');
  const key = { name: 'laptop', access: 'destroy', expiresInDays: 1 };
  const made = (await (await send(grace.headers, 'POST', '/keys', key)).json()) as { token: string };
  people.Grace = { id: grace.id, headers: { authorization: `Bearer ${made.token}` } };
  await repositories.add('who', webApp('v1'));
  project = await longshore.newProject('Who');
  const source = { repoUrl: `${repositories.url}/who`, repoFullName: null, branch: 'main' };
  [web, database] = await Promise.all([
    longshore.newService(project, { name: 'web', ...source }),
    longshore.newDatabase('postgres', { name: 'orders' }, project),
  ]);
}, 240_000);

test('deployments, restarts, rollbacks, commands, shells, rows, backups and restores each say which of two members it was', async () => {
  /** Who made each change, by the id of its request. */
  const expected = new Map<string, string>();
  const as = (who: keyof typeof people) => async (method: string, path: string, body?: unknown) => {
    const reply = await send(people[who].headers, method, path, body);
    expected.set(reply.headers.get('x-request-id') ?? '', who);
    return (await reply.json()) as Json;
  };
  const [ada, grace] = [as('Ada'), as('Grace')];
  const at = `/services/${web.id}`;
  const db = `/services/${database.id}/database`;
  const starts: [string, string][] = [];
  const ends = async ({ deployment }: Json, who: string) => {
    starts.push([deployment.id, who]);
    expect((await longshore.finished(deployment.id, web.id)).status).toMatch(/running|superseded/);
    return deployment.id as string;
  };
  const first = await ends(await ada('POST', `${at}/deployments`), 'Ada');
  await grace('POST', `${at}/env`, { key: 'GREETING', value: 'hello' });
  await ends(await grace('POST', `${at}/deployments`), 'Grace');
  await ends(await ada('POST', `${at}/restart`), 'Ada');
  await ends(await grace('POST', `/deployments/${first}/rollback`), 'Grace');
  const { run } = await ada('POST', `${at}/run`, { command: 'true' });
  await grace('POST', `${at}/shells`, { container: 'live', command: ['true'] });

  await ada('POST', `${db}/query`, { sql: 'create table notes (id int primary key, text text)' });
  await grace('POST', `${db}/rows`, { table: 'public.notes', values: { id: 1, text: 'one' } });
  await ada('PATCH', `${db}/rows`, {
    ...{ table: 'public.notes', primaryKey: { id: 1 }, values: { text: 'two' } },
  });
  const { backup } = await grace('POST', `${db}/backups`, { storage: 'disk' });
  const read = async (path: string) => (await longshore.call('GET', `/api${path}`)).body;
  const listed = async () => (await read(`${db}/backups`)).backups.find(({ id }: Json) => id === backup.id);
  await expect.poll(async () => (await listed()).status, { timeout: 120_000 }).toBe('succeeded');
  await ada('POST', `${db}/backups/${backup.id}/restore`);

  const { deployments } = await read(`${at}/deployments`);
  const told = deployments.map(({ id, startedBy }: Json) => [id, startedBy.name]);
  expect(told.toReversed()).toEqual(starts);
  expect((await read(`${at}/runs/${run.id}`)).run.startedBy.name).toBe('Ada');
  const { startedBy, restore } = await listed();
  expect([startedBy.name, restore.startedBy.name]).toEqual(['Grace', 'Ada']);
  for (const [name, { id }] of Object.entries(people)) {
    const { entries } = (await (
      await send(people.Ada.headers, 'GET', `/audit?actor=${id}&limit=1000`)
    ).json()) as Json;
    const own = [...expected].filter(([, who]) => who === name).map(([requestId]) => requestId);
    const found = entries.map(({ requestId }: Json) => requestId);
    expect(own.filter((requestId) => !found.includes(requestId))).toEqual([]);
    const others = [...expected.keys()].filter((requestId) => !own.includes(requestId));
    expect(others.filter((requestId) => found.includes(requestId))).toEqual([]);
  }
}, 240_000);
