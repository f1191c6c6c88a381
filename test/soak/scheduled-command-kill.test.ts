/** `kill -9` of the runner while commands run that the clock started: how they end, and that the next ones start by the rule for overlaps. */
import Docker from 'dockerode';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { labels } from '../../protocol/names.ts';
import { buildImage, removeImages } from '../support/instance/image.ts';
import { killNine } from '../support/instance/instance-processes.ts';
import type { Json } from '../support/instance/longshore.ts';
import { webApp } from '../support/instance/repository.ts';
import { useInstance } from '../support/instance/use-instance.ts';

const docker = new Docker();
const image = 'longshore-soak-scheduled:1';
afterAll(() => removeImages(image));
const longshore = useInstance();
/** Two minutes of the clock, and a busy machine. */
const minuteComesWithinMs = 150_000;
const overlaps = ['skip', 'wait'] as const;
let worker: Json;
const schedules: Record<string, Json> = {};

beforeAll(async () => {
  await buildImage(image, webApp('hosted'));
  const ofImage = { repoUrl: 'container-image', imageRef: image, internalPort: 3000 };
  const project = await longshore.newProject('Shop');
  worker = await longshore.newService(project, { name: 'worker', ...ofImage, runtimeMode: 'worker' });
  await longshore.deploy(worker.id);
  // Events are raised once there is somebody to be told; nobody listens there.
  await longshore.operate('PATCH', '/api/system/settings', {
    eventWebhook: { url: 'https://events.invalid/hook' },
  });
  for (const overlap of overlaps) {
    const cron = { name: overlap, cron: '* * * * *', command: 'echo begun; sleep 900', overlap };
    schedules[overlap] = (await longshore.ask('POST', `/api/services/${worker.id}/schedules`, cron)).schedule;
  }
});

/** Runs of a schedule, newest first. */
async function runsOf(overlap: string): Promise<Json[]> {
  const path = `/api/services/${worker.id}/schedules/${schedules[overlap].id}/occurrences`;
  const { occurrences } = await longshore.ask('GET', path);
  return occurrences.flatMap(({ run }: Json) => run ?? []);
}

const containersOf = (run: Json) =>
  docker.listContainers({ all: true, filters: { label: [`${labels.deployment}=${run.id}`] } });

/** The processes of the command that runs in the live container. */
async function sleepsInLive(): Promise<number> {
  const { Processes } = await docker.getContainer(`longshore-${worker.id}-stable`).top();
  return Processes.filter((columns: string[]) => columns.at(-1)?.includes('sleep 907')).length;
}

test('commands whose runner was killed end as failed, leave nothing, and the next minute starts new ones', async () => {
  const begun = async () =>
    (await Promise.all(overlaps.map(runsOf))).flat().filter(({ status }) => status === 'running').length;
  await expect.poll(begun, { timeout: minuteComesWithinMs, interval: 500 }).toBe(2);
  const killed = (await Promise.all(overlaps.map(runsOf))).map(([run]) => run);
  for (const run of killed)
    await expect.poll(async () => (await containersOf(run)).length, { timeout: 20_000 }).toBe(1);
  const inLive = { command: 'sleep 907', container: 'live' };
  killed.push((await longshore.ask('POST', `/api/services/${worker.id}/run`, inLive)).run);
  await expect.poll(sleepsInLive, { timeout: 20_000 }).toBeGreaterThan(0);
  await killNine(longshore.dataDirectory, ['runner']);

  const statusOf = async ({ id }: Json) =>
    (await longshore.ask('GET', `/api/services/${worker.id}/runs/${id}`)).run;
  for (const run of killed) {
    await expect.poll(async () => (await statusOf(run)).status, { timeout: 60_000 }).toBe('failed');
    expect(await statusOf(run)).toMatchObject({
      exitCode: null,
      error: expect.stringContaining('restarted'),
    });
    await expect.poll(() => containersOf(run), { timeout: 20_000 }).toEqual([]);
  }
  const { events } = await longshore.operate('GET', '/api/system/events');
  const failed = events.filter(({ type }: Json) => type === 'run.failed');
  expect(failed).toHaveLength(3);
  expect(await sleepsInLive()).toBe(0);

  for (const [index, overlap] of overlaps.entries()) {
    const next = async () =>
      (await runsOf(overlap)).filter(({ id }) => id !== killed[index].id).at(-1)?.status;
    await expect.poll(next, { timeout: minuteComesWithinMs, interval: 500 }).toBe('running');
  }
  // The rules go on: while these run, `skip` leaves the next time out and `wait` holds one back.
  const reasons = async () => {
    const path = `/api/services/${worker.id}/schedules/${schedules.skip.id}/occurrences`;
    return (await longshore.ask('GET', path)).occurrences.map(({ reason }: Json) => reason);
  };
  await expect
    .poll(reasons, { timeout: minuteComesWithinMs, interval: 500 })
    .toContainEqual(expect.any(String));
  expect((await runsOf('skip')).filter(({ status }) => status === 'running')).toHaveLength(1);
  expect((await runsOf('wait')).filter(({ status }) => status === 'running')).toHaveLength(1);
});
