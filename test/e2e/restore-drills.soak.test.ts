/** Restore drills of a PostgreSQL that runs, through the real Worker and a real runner: by the week, by hand, and ended half-way. */
import { readFile, writeFile } from 'node:fs/promises';
import Docker from 'dockerode';
import { beforeAll, expect, test } from 'vitest';
import { databaseCalls } from '../support/instance/database-calls.ts';
import { killNine } from '../support/instance/instance-processes.ts';
import type { Json } from '../support/instance/longshore.ts';
import { useInstance } from '../support/instance/use-instance.ts';

const docker = new Docker();
const endsWithinMs = 120_000;
/** The control plane's cron runs every minute. */
const cronWithinMs = 200_000;
const longshore = useInstance();
let service: Json;
/** Of the live database, before any drill. */
let before: Json;
const { ask, query, listed, backUp } = databaseCalls(longshore, () => service);

beforeAll(async () => {
  service = await longshore.newDatabase('postgres');
  await query('create table notes as select n, md5(n::text) from generate_series(1, 1000) n');
  before = await onHost();
});

async function backedUp(): Promise<Json> {
  const backup = await backUp();
  expect(backup).toMatchObject({ status: 'succeeded' });
  return backup;
}

/** The backup once the drill that is at work has ended. */
async function drilled(id: string): Promise<Json> {
  const state = async () => (await listed(id)).drill.state;
  await expect.poll(state, { timeout: endsWithinMs }).not.toBe('running');
  return listed(id);
}

/** All that belongs to the service, running or not. */
async function onHost() {
  const filters = { label: [`longshore.service=${service.id}`] };
  const containers = await docker.listContainers({ all: true, filters });
  const { Volumes } = await docker.listVolumes({ filters });
  const networks = await docker.listNetworks({ filters });
  return {
    containers: containers.map(({ Id, State, Names }) => [Id, State, Names[0]]),
    volumes: Volumes.map(({ Name }) => Name),
    networks: networks.map(({ Name }) => Name),
  };
}

const expectNothingLeft = () => expect.poll(onHost, { timeout: endsWithinMs }).toEqual(before);

/** The engine that a drill loads into is there. */
const loading = () =>
  expect
    .poll(async () => JSON.stringify(await onHost()), { timeout: endsWithinMs })
    .toContain(`longshore-${service.id}-loading-`);

test('with "drill": "weekly" the newest backup is tested on its own, the list shows when, and the host is unchanged', async () => {
  const older = await backedUp();
  const { id } = await backedUp();
  expect((await ask('PATCH', '/backups/settings', { drill: 'weekly' })).settings.drill).toBe('weekly');
  const lastSuccess = async () => (await listed(id)).lastProvenAt;
  await expect.poll(lastSuccess, { timeout: cronWithinMs }).not.toBeNull();
  expect(await listed(id)).toMatchObject({
    status: 'succeeded',
    rows: 1000,
    drill: { state: 'succeeded', trigger: 'weekly', error: null },
  });
  expect(await listed(older.id)).toMatchObject({ lastProvenAt: null, drill: null });
  await expectNothingLeft();
});

test('a damaged backup fails its drill by hand: the reason is in the list and in the audit log', async () => {
  const { id, localPath } = await backedUp();
  const bytes = await readFile(localPath);
  const middle = Math.floor(bytes.length / 2);
  await writeFile(
    localPath,
    bytes.map((byte, at) => (at === middle ? byte ^ 0xff : byte)),
  );
  const { drill } = await ask('POST', `/backups/${id}/prove`);
  expect(drill).toMatchObject({ backupId: id, trigger: 'manual', state: 'running' });
  expect(await drilled(id)).toMatchObject({
    lastProvenAt: null,
    drill: { id: drill.id, state: 'failed', error: expect.stringMatching(/is damaged/) },
  });
  const { entries } = await longshore.operate('GET', '/api/system/audit?actor=system');
  expect(entries).toContainEqual(expect.objectContaining({ route: 'drill.failed', resourceId: id }));
  await expectNothingLeft();
});

test('a backup requested during a drill is taken at once, and the drill is aborted', async () => {
  const { id } = await backedUp();
  await ask('POST', `/backups/${id}/prove`);
  await loading();
  expect(await backedUp()).toMatchObject({ status: 'succeeded', rows: 1000 });
  expect(await drilled(id)).toMatchObject({ drill: { state: 'aborted' } });
  await expectNothingLeft();
});

test('a runner killed during a drill leaves nothing after its next start', async () => {
  const { id } = await backedUp();
  await ask('POST', `/backups/${id}/prove`);
  await loading();
  await killNine(longshore.dataDirectory, ['runner']);
  expect(await drilled(id)).toMatchObject({
    lastProvenAt: null,
    drill: { state: 'skipped', error: expect.stringMatching(/restarted during the drill/) },
  });
  await expectNothingLeft();
  await ask('POST', `/backups/${id}/prove`);
  expect(await drilled(id)).toMatchObject({
    lastProvenAt: expect.any(String),
    drill: { state: 'succeeded' },
  });
});
