/** A service that keeps files in a volume, on a real host: through deployments, a restart of the host, a deletion and a restore. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import Docker from 'dockerode';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startChromium } from '../support/browser/chromium.ts';
import { openPage } from '../support/browser/open-page.ts';
import { buildImage, removeImages } from '../support/instance/image.ts';
import { killNine } from '../support/instance/instance-processes.ts';
import type { Json } from '../support/instance/longshore.ts';
import { useInstance } from '../support/instance/use-instance.ts';

/** Each visit adds a line to a file of the volume; the answer is how many there are. */
const counter = `const fs = require('fs'), file = '/data/visits';
require('http').createServer((_, reply) => {
  fs.appendFileSync(file, 'x');
  reply.end(String(fs.readFileSync(file).length));
}).listen(3000);
process.on('SIGTERM', () => process.exit());`;
const image = 'longshore-e2e-volumes:1';
const docker = new Docker();
afterAll(() => removeImages(image));
const longshore = useInstance();
const { ask, overview } = longshore;
let service: Json;
let volume: Json;

beforeAll(async () => {
  await buildImage(image, {
    'server.js': counter,
    Dockerfile: 'FROM node:24-slim\nCOPY server.js /server.js\nUSER node\nCMD ["node", "/server.js"]\n',
  });
  const project = await longshore.newProject('Shop');
  const ofImage = { repoUrl: 'container-image', imageRef: image, internalPort: 3000 };
  service = await longshore.newService(project, { name: 'counter', ...ofImage });
  const body = { name: 'visits', mountPath: '/data', sizeMb: 64 };
  volume = (await ask('POST', `/api/services/${service.id}/volumes`, body)).volume;
  await longshore.deploy(service.id);
});

/** Each test counts from its own first visit, so that it passes alone. */
const visit = async () => Number(await (await fetch(service.localUrl)).text());
const volumes = async () =>
  (await docker.listVolumes({ filters: { label: [`longshore.service=${service.id}`] } })).Volumes;

test('files in a volume outlive deployments, restarts of the service and of its host', async () => {
  const first = await visit();
  await longshore.deploy(service.id);
  expect(await visit()).toBe(first + 1);
  const { deployment, detail } = await ask('POST', `/api/services/${service.id}/restart`);
  expect(detail).toContain('has a volume');
  await longshore.finished(deployment.id, service.id);
  await longshore.stop();
  await longshore.start();
  expect(await visit()).toBe(first + 2);
  await expect.poll(async () => (await overview(service.id)).volumes[0].usedMb, { timeout: 30_000 }).toBe(1);
});

test('a restore brings back the files of a backup, as often as it is asked', async () => {
  const before = await visit();
  const path = `/api/services/${service.id}/volume-backups`;
  const body = { volumeId: volume.id, storage: 'disk', quiesce: 'stop' };
  const { backup, detail } = await ask('POST', path, body);
  expect(detail).toContain('is stopped while its volume is copied');
  const listed = async () => (await ask('GET', path)).backups.find(({ id }: Json) => id === backup.id);
  await expect.poll(async () => (await listed()).status, { timeout: 60_000 }).toBe('succeeded');
  for (let times = 1; times <= 2; times++) {
    await expect.poll(() => visit().catch(() => 0)).toBe(before + 1);
    expect(await ask('POST', `${path}/${backup.id}/restore`)).toMatchObject({ ok: true });
  }
  const { restore, entries } = await listed();
  expect([restore.state, entries]).toEqual(['succeeded', 2]);
  await ask('POST', `${path}/${backup.id}/prove`);
  await expect.poll(async () => (await listed()).drill.state, { timeout: 60_000 }).toBe('succeeded');
  expect(await volumes()).toHaveLength(1);
});

test('a runner that is killed while only the new version runs brings the old one back, on the same data', async () => {
  const before = await visit();
  const path = `/api/services/${service.id}`;
  const deaf = [
    'node',
    '-e',
    `require('fs').appendFileSync('/data/visits', 'x'); setInterval(() => {}, 1e6)`,
  ];
  await ask('PATCH', path, { command: deaf });
  const { deployment } = await ask('POST', `${path}/deployments`);
  const running = async () => {
    const label = [`longshore.service=${service.id}`, 'longshore.role=app'];
    return (await docker.listContainers({ filters: { label } })).map(({ Names }) => Names[0]?.slice(1));
  };
  const made = `longshore-${service.id}-${deployment.id}`;
  await expect.poll(running, { timeout: 60_000 }).toEqual([made]);
  await killNine(longshore.dataDirectory, ['runner']);
  const { status, failureCode } = await longshore.finished(deployment.id, service.id);
  expect([status, failureCode]).toEqual(['failed', 'runner_restarted']);
  expect(await running()).toEqual([`longshore-${service.id}-stable`]);
  // The new version has added a line, too.
  await expect.poll(visit).toBe(before + 2);
  await ask('PATCH', path, { command: null });
});

test('a restart mounts the files of now, a command reads them with secrets masked, and a rollback brings the earlier ones back', async () => {
  const path = `/api/services/${service.id}`;
  const { deployment: before } = await ask('POST', `${path}/deployments`);
  await longshore.finished(before.id, service.id);
  await ask('PUT', `${path}/files`, { path: '/etc/app/key', content: 'canary-key', mode: '0400' });
  expect((await overview(service.id)).pendingFiles).toEqual(['/etc/app/key']);
  const { deployment } = await ask('POST', `${path}/restart`);
  await longshore.finished(deployment.id, service.id);
  expect((await overview(service.id)).pendingFiles).toEqual([]);
  const { run } = await ask('POST', `${path}/run`, {
    command: 'cat /etc/app/key; stat -c "%a %U" /etc/app/key; echo x > /etc/app/key || echo refused',
  });
  for await (const _ of longshore.events(`${path}/runs/${run.id}/stream`));
  const { logs } = await ask('GET', `${path}/runs/${run.id}/logs`);
  const output = logs.map(({ line }: Json) => line).join('\n');
  expect(output).toMatch(/\*\*\*.*400 node.*refused/s);
  expect(output).not.toContain('canary-key');
  const inContainer = async () => {
    const exec = await docker
      .getContainer(`longshore-${service.id}-stable`)
      .exec({ Cmd: ['grep', '-q', 'canary-key', '/etc/app/key'] });
    await exec.start({});
    // Before its process starts, an exec is not running either, and it has no exit code.
    await expect.poll(async () => (await exec.inspect()).ExitCode).not.toBe(null);
    return (await exec.inspect()).ExitCode === 0;
  };
  expect(await inContainer()).toBe(true);
  const rollback = (await ask('POST', `/api/deployments/${before.id}/rollback`)).deployment;
  await longshore.finished(rollback.id, service.id);
  expect(await inContainer()).toBe(false);
});

/** A page of this service's rooms, in a browser of its own. */
async function openRoom(room: string) {
  const local = JSON.parse(await readFile(join(longshore.dataDirectory, 'local.json'), 'utf8'));
  const browser = await startChromium();
  onTestFinished(() => browser.close());
  return await openPage(
    { url: local.url, key: local.apiKey },
    browser,
    `/services/${service.id}/${room}`,
    {},
  );
}
/** A container starts and ends meanwhile. */
const ofContainer = { timeout: 60_000 };

test('in the dashboard a schedule shows its times and runs at once, and a command runs once with its log, its exit code and its end', async () => {
  const { page } = await openRoom('commands');
  await page.getByRole('button', { name: 'Add schedule' }).first().click();
  const schedule = page.getByRole('dialog', { name: 'Add schedule' });
  await schedule.getByLabel('Name').fill('count');
  await schedule.getByLabel('Command', { exact: true }).fill('echo counted; exit 4');
  await schedule.getByLabel('Times', { exact: true }).fill('30 3 * * 1-5');
  const preview = schedule.getByRole('status');
  await preview.getByText('At 03:30, Monday through Friday').waitFor();
  expect(await preview.getByRole('listitem').count()).toBe(5);
  await schedule.getByRole('button', { name: 'Save' }).click();
  await page
    .locator('.schedules li')
    .getByText(/^in .*03:30$/)
    .waitFor();
  await page.getByRole('button', { name: 'Run now: count' }).click();
  await page.locator('.log-row', { hasText: 'counted' }).waitFor(ofContainer);
  await page.getByText('Exit code 4', { exact: true }).waitFor(ofContainer);
  await page.getByText('Schedule count').waitFor();

  await page.goto(`/services/${service.id}/commands`);
  await page.getByRole('button', { name: 'Run a command' }).click();
  const command = page.getByRole('dialog', { name: 'Run a command' });
  await command.getByLabel('Command', { exact: true }).fill('id -un; echo waits; exec sleep 600');
  await command.getByRole('button', { name: 'Run', exact: true }).click();
  // It has not ended: the log is live.
  await page.locator('.log-row', { hasText: 'waits' }).waitFor(ofContainer);
  await page.locator('.log-row', { hasText: /node$/ }).waitFor();
  await page.getByText('Running', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Abort' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Abort' }).click();
  await page.getByText('Aborted', { exact: true }).waitFor(ofContainer);
  const { runs } = await ask('GET', `/api/services/${service.id}/runs`);
  expect(runs[0]).toMatchObject({ status: 'aborted', exitCode: null });
});

test('in the dashboard a backup of a volume is made, and restored only after the name was typed', async () => {
  const path = `/api/services/${service.id}/volume-backups`;
  const { page } = await openRoom('backups');
  await page.getByRole('button', { name: 'Back up now' }).click();
  const now = page.getByRole('dialog', { name: 'Back up now' });
  await now.getByLabel('During the copy, the service').selectOption('none');
  const [made] = await Promise.all([
    page.waitForResponse(
      (reply) => new URL(reply.url()).pathname === path && reply.request().method() === 'POST',
    ),
    now.getByRole('button', { name: 'Back up now' }).click(),
  ]);
  const { backup } = await made.json();
  const row = page.locator(`#${backup.id}`);
  const restore = row.getByRole('button', { name: /^Restore the backup/ });
  await restore.waitFor(ofContainer);
  const afterBackup = await visit();
  await restore.click();
  const dialog = page.getByRole('dialog');
  expect(await dialog.getByRole('button', { name: 'Restore' }).isDisabled()).toBe(true);
  await dialog.getByLabel('Type visits to confirm').fill('visits');
  await page.keyboard.press('Enter');
  await row.getByText(/^Restored/).waitFor(ofContainer);
  await expect.poll(() => visit().catch(() => 0)).toBe(afterBackup);
});

test('a deleted service keeps the data of its volume, and serves it again after its restore', async () => {
  const before = await visit();
  await ask('DELETE', `/api/services/${service.id}`);
  expect(await volumes()).toHaveLength(1);
  await ask('POST', `/api/services/${service.id}/restore`);
  await expect
    .poll(async () => (await overview(service.id)).service.status, { timeout: 60_000 })
    .toBe('active');
  expect(await visit()).toBe(before + 1);
});

test('a deleted volume is not mounted by the next version, and its purge removes it from the host', async () => {
  await ask('DELETE', `/api/services/${service.id}/volumes/${volume.id}`);
  const added = { name: 'fresh', mountPath: '/data' };
  await ask('POST', `/api/services/${service.id}/volumes`, added);
  await longshore.deploy(service.id);
  expect(await visit()).toBe(1);
  await longshore.operate('POST', `/api/system/deleted/${volume.id}/purge`);
  await expect.poll(async () => (await volumes()).length, { timeout: 30_000 }).toBe(1);
});
