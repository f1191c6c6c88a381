/** A live app with everything that belongs to a service, on a fake host, and queries for tests of deletions. */
import { env } from 'cloudflare:workers';
import { getTableConfig } from 'drizzle-orm/sqlite-core';
import { expect } from 'vitest';
import type { HubFrameOf } from '../../../protocol/frames.ts';
import { newId } from '../../../protocol/ids.ts';
import { createDependencies } from '../../../worker/context.ts';
import { archivedTables } from '../../../worker/store/sql/row-archive.ts';
import { sweepDeletions } from '../../../worker/usecases/deletions/purge-deletions.ts';
import { createClient, deps, insertKey, type Json, operatorToken } from './api.ts';
import { FakeRunner } from './fake-runner.ts';
import { newHost } from './host.ts';

export const call = createClient();
export const hourMs = 3_600_000;

export const operator = (method: string, path: string, body?: unknown) =>
  call(method, `/api/system${path}`, { token: operatorToken, ...(body === undefined ? {} : { body }) });

/** A client whose requests happen this much later. */
export const clientLater = (byMs: number) =>
  createClient({
    dependenciesOf: (of) => ({ ...createDependencies(of), now: () => Date.now() + byMs }),
  });

/** Runs cron this much later. */
export const sweepLater = (byMs: number, more: Partial<typeof deps> = {}) =>
  sweepDeletions({ ...deps, now: () => Date.now() + byMs, ...more });

export async function succeed(runner: FakeRunner, start: HubFrameOf<'start'>): Promise<void> {
  const { deploymentId, serviceId } = start.spec as { deploymentId: string; serviceId: string };
  const facts = { imageTag: `longshore-${serviceId}-${deploymentId}` };
  await runner.report(start, { type: 'result', result: { outcome: 'succeeded', facts } });
}

/** Answers the host's next task. */
export async function finishTask(runner: FakeRunner): Promise<Json> {
  const { id, task } = await runner.next('task');
  runner.send({ v: 1, type: 'task-done', id, proxy: { ok: true, detail: 'gone' } });
  return task;
}

/** A service that was deployed, with a variable and a custom domain. */
export async function liveApp() {
  const { token } = await insertKey();
  const host = await newHost();
  const runner = await FakeRunner.connect(host.keys);
  const ask = (method: string, path: string, body?: unknown) =>
    call(method, `/api${path}`, { token, ...(body === undefined ? {} : { body }) });
  const create = async (body: Json): Promise<Json> => {
    const reply = await ask('POST', `/projects/${host.project.id}/services`, {
      runnerId: host.runnerId,
      ...body,
    });
    expect(reply.status, reply.text).toBe(200);
    return reply.body.service;
  };
  const ship = async ({ id }: Json): Promise<string> => {
    const { body } = await ask('POST', `/services/${id}/deployments`);
    await succeed(runner, await runner.next('start'));
    return body.deployment.id;
  };
  const service = await create({
    name: 'web',
    repoUrl: 'https://git.example/w',
    env: [{ key: 'A', value: '1' }],
  });
  const { hostname } = { hostname: `${service.id.replace('_', '-')}.example.com` };
  // Inserted without the API, which requires a proof once a test has created a second tenant.
  await env.DB.prepare(
    `insert into domains (id, service_id, hostname, status, created_at, updated_at) values (?, ?, ?, 'pending', 0, 0)`,
  )
    .bind(newId('domain', deps.fillRandom), service.id, hostname)
    .run();
  const deploymentId = await ship(service);
  /** Deletes, and answers the tasks of the host. */
  const remove = async (path: string, tasks = 1) => {
    const asked = ask('DELETE', path);
    for (let one = 0; one < tasks; one++) await finishTask(runner);
    const reply = await asked;
    expect(reply.status, reply.text).toBe(200);
    return reply;
  };
  return { token, host, runner, ask, create, ship, service, deploymentId, hostname, remove };
}

export const deletedRowsOf = async (id: string) =>
  (await env.DB.prepare('select * from deleted_rows where resource_id = ?').bind(id).all()).results;

/** All rows of the tables that a deletion covers, by table. */
export async function everyRow(): Promise<Record<string, Json[]>> {
  const names = archivedTables.map((table) => getTableConfig(table).name);
  const results = await env.DB.batch<Json>(
    names.map((name) => env.DB.prepare(`select * from ${name} order by rowid`)),
  );
  return Object.fromEntries(names.map((name, index) => [name, results[index]?.results ?? []]));
}

export const hostTasks = async (runnerId: string): Promise<Json[]> => {
  const { results } = await env.DB.prepare(
    'select task, state from host_tasks where runner_id = ? order by rowid',
  )
    .bind(runnerId)
    .all<Json>();
  return results.map(({ task, state }) => ({ ...JSON.parse(task), state }));
};
