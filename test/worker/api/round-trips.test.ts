/** Every D1 round trip is latency for the client: at most 2 a read, 3 a write. */
import { env } from 'cloudflare:workers';
import { beforeAll, expect, test } from 'vitest';
import { createDependencies } from '../../../worker/context.ts';
import type { Env } from '../../../worker/env.ts';
import {
  createClient,
  insertKey,
  insertProject,
  insertRunner,
  insertService,
  operatorToken,
} from '../support/api.ts';

let trips = 0;
const call = createClient({
  dependenciesOf: () => createDependencies({ ...env, DB: counted(env.DB) } as Env),
});
let token: string;
let project: Awaited<ReturnType<typeof insertProject>>;
let service: Awaited<ReturnType<typeof insertService>>;

beforeAll(async () => {
  const runner = await insertRunner();
  project = await insertProject();
  service = await insertService({ projectId: project.id, runnerId: runner.id, slug: 'web' });
  // Noted as just used: otherwise the first request writes that too, beside its answer.
  token = (await insertKey({ lastUsedAt: Date.now() })).token;
});

async function tripsOf(method: string, path: string, body?: unknown, as = token): Promise<[number, number]> {
  trips = 0;
  const { status } = await call(method, path, { token: as, ...(body === undefined ? {} : { body }) });
  return [status, trips];
}

test('reads', async () => {
  for (let n = 0; n < 5; n++)
    await tripsOf('POST', `/api/services/${service.id}/env`, { key: `V${n}`, value: 'x' });
  expect(await tripsOf('GET', '/api/projects')).toEqual([200, 2]);
  expect(await tripsOf('GET', `/api/projects/${project.slug}`)).toEqual([200, 2]);
  expect(await tripsOf('GET', `/api/services/${service.id}/overview`)).toEqual([200, 2]);
  expect(await tripsOf('GET', '/api/projects/absent')).toEqual([404, 1]);
  expect(await tripsOf('GET', '/api/system/keys', undefined, operatorToken)).toEqual([200, 1]);
});

test('writes', async () => {
  expect(await tripsOf('POST', '/api/projects', { name: 'New' })).toEqual([200, 3]);
  expect(await tripsOf('PATCH', `/api/projects/${project.id}`, { name: 'Other' })).toEqual([200, 2]);
  const body = { name: 'x', repoUrl: 'https://git.example/x', env: [{ key: 'A', value: '1' }] };
  expect(await tripsOf('POST', `/api/projects/${project.id}/services`, body)).toEqual([200, 3]);
  expect(await tripsOf('PATCH', `/api/services/${service.id}`, { branch: 'dev' })).toEqual([200, 2]);
  expect(await tripsOf('POST', `/api/services/${service.id}/env`, { key: 'A', value: '1' })).toEqual([
    200, 3,
  ]);
  expect(await tripsOf('POST', `/api/services/${service.id}/env`, { key: 'A', value: '2' })).toEqual([
    200, 3,
  ]);
  const [, count] = await tripsOf('POST', `/api/services/${service.id}/deployments`);
  expect(count).toBeLessThanOrEqual(3);
  expect(await tripsOf('DELETE', `/api/services/${service.id}`)).toEqual([200, 3]);
  expect(await tripsOf('DELETE', `/api/projects/${project.id}`)).toEqual([200, 3]);
});

/** D1 that counts what is sent to it: a batch is one trip, and so is each statement that runs alone. */
function counted(db: D1Database): D1Database {
  const countStatement = (statement: D1PreparedStatement): D1PreparedStatement =>
    new Proxy(statement, {
      get(target, name) {
        const member = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return (...values: unknown[]) => {
          if (name === 'bind') return countStatement(target.bind(...values));
          trips++;
          return member.apply(target, values);
        };
      },
    });
  return {
    prepare: (query: string) => countStatement(db.prepare(query)),
    batch: (statements: D1PreparedStatement[]) => {
      trips++;
      return db.batch(statements);
    },
  } as unknown as D1Database;
}
