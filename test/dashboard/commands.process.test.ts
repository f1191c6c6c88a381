/** The rooms of commands and of volume backups in a real browser: schedules, what is run once, logs, history; plans, refusals. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test, vi } from 'vitest';
import { contractTimeoutMs, roomTroubles } from '../support/browser/room-contract.ts';
import { useDashboard } from '../support/browser/use-dashboard.ts';
import { scriptTexts } from '../support/script-texts.ts';

// Each takes some seconds in one browser, and several times that beside other files on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const used = useDashboard(async (directory) => {
  const file = join(directory, 'build.log');
  await writeFile(file, 'one line');
  return file;
});
let web: { id: string };
let room: string;

const newService = async (name: string) => {
  const { project } = await used.ask('POST', '/api/projects', { name });
  const body = { name: 'web', repoUrl: 'https://git.example/app.git', repoFullName: null };
  const { service } = await used.ask('POST', `/api/projects/${project.id}/services`, body);
  await used.deploy(service.id);
  return service;
};

beforeAll(async () => {
  web = await newService('Shop');
  room = `/services/${web.id}/commands`;
}, 120_000);

test('a schedule is explained while it is typed, refused at its field, saved, paused, run and deleted', async () => {
  const { page } = await used.open(room);
  await page.getByText('No schedules yet').waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('add schedule');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Add schedule' });
  await dialog.getByLabel('Name').fill('report');
  await dialog.getByLabel('Command', { exact: true }).fill('echo report');
  await dialog.getByLabel('Times', { exact: true }).fill('0 3 * *');
  const preview = dialog.getByRole('status');
  await preview.getByText(/"cron" must have five fields/).waitFor();
  await page.keyboard.press('Enter');
  await dialog
    .getByRole('alert')
    .getByText(/"cron" must have five fields/)
    .waitFor();
  await dialog.getByLabel('Time zone').selectOption('Asia/Tokyo');
  await dialog.getByLabel('Times', { exact: true }).fill('30 3 * * 1-5');
  await preview.getByText('At 03:30, Monday through Friday').waitFor();
  await preview.getByText('in the time of Asia/Tokyo').waitFor();
  expect(await preview.getByRole('listitem').allTextContents()).toEqual(
    Array(5).fill(expect.stringMatching(/^(Mon|Tue|Wed|Thu|Fri)\b.*03:30$/)),
  );
  await dialog.getByLabel('Where it runs').selectOption('In the running container');
  await dialog.getByText(/shares its memory with the app/).waitFor();
  await dialog.getByRole('button', { name: 'Save' }).click();
  const row = page.getByRole('listitem').filter({ hasText: 'At 03:30, Monday through Friday' });
  await row.getByText(/^in .*03:30$/).waitFor();
  await row.getByText('Has not run yet').waitFor();
  await row.getByText('In the running container').waitFor();
  const { schedules } = await used.ask('GET', `/api/services/${web.id}/schedules`);
  expect(schedules).toMatchObject([
    {
      name: 'report',
      cron: '30 3 * * 1-5',
      timeZone: 'Asia/Tokyo',
      command: 'echo report',
      container: 'live',
    },
  ]);

  await page.getByRole('button', { name: 'Pause report' }).click();
  await row.getByText('Paused').waitFor();
  await page.getByRole('button', { name: 'Run now: report' }).click();
  await page.getByText('Exit code 0').waitFor();
  await page.locator('.log-row', { hasText: 'report' }).waitFor();
  await page.getByText('Schedule report').waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('u');
  await row.getByText('Done').waitFor();
  await page.getByRole('link', { name: 'History of report' }).click();
  await page.locator('.runs li').getByText('Exit code 0').waitFor();

  await page.getByRole('button', { name: 'Delete report' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No schedules yet').waitFor();
  await page.locator('.runs li').getByText('echo report').waitFor();
});

test('a command runs once with its log, is aborted, fails with a reason and is run again', async () => {
  const { page } = await used.open(room);
  const start = async (command: string) => {
    await page.getByRole('button', { name: 'Run a command' }).click();
    const dialog = page.getByRole('dialog', { name: 'Run a command' });
    await dialog.getByLabel('Command', { exact: true }).fill(command);
    await dialog.getByRole('button', { name: 'Run', exact: true }).click();
  };
  await start('echo begun; exec sleep 600');
  await page.locator('.log-row', { hasText: 'begun' }).waitFor();
  await page.getByText('Running', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Abort' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Abort' }).click();
  await page.getByText('Aborted', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'All commands' }).click();

  await page.getByRole('button', { name: 'Run a command' }).click();
  const dialog = page.getByRole('dialog', { name: 'Run a command' });
  await dialog.getByLabel('Command', { exact: true }).fill('exit 3');
  await dialog.getByLabel('Time limit in seconds').fill('0');
  await dialog.getByRole('button', { name: 'Run', exact: true }).click();
  await dialog
    .getByRole('alert')
    .getByText(/"timeLimitSeconds" must be at least 1/)
    .waitFor();
  await dialog.getByLabel('Time limit in seconds').fill('60');
  await dialog.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByText('Why it failed').waitFor();
  await page.getByText('The command ended with exit code 3.').first().waitFor();
  await page.getByText('What to do').waitFor();
  await page.getByRole('button', { name: 'Run again' }).click();
  expect(await dialog.getByLabel('Command', { exact: true }).inputValue()).toBe('exit 3');
});

test('a command that somebody else starts and a schedule that they add appear by themselves', async () => {
  const other = await newService('Depot');
  const { page } = await used.open(`/services/${other.id}/commands`);
  await page.getByText('Updates live').waitFor();
  await used.ask('POST', `/api/services/${other.id}/run`, { command: 'echo imported' });
  await page.locator('.runs li', { hasText: 'echo imported' }).getByText('Done').waitFor();
  const body = { name: 'minutely', cron: '* * * * *', command: 'true' };
  await used.ask('POST', `/api/services/${other.id}/schedules`, body);
  await page.locator('.schedules li').getByText('Every minute').waitFor();
});

test('commands and names of schedules of hostile people are shown as text', { tags: 'slow' }, async () => {
  const other = await newService('Hostile');
  const path = `/api/services/${other.id}`;
  const texts = scriptTexts.filter((text) => !text.includes('\0'));
  const command = `cat <<'END_OF_TEXTS'\n${texts.join('\n').slice(0, 3_900)}\nEND_OF_TEXTS`;
  const { run } = await used.ask('POST', `${path}/run`, { command });
  for (const text of scriptTexts.filter((one) => one.trim() !== '' && one.length <= 64).slice(0, 20)) {
    const body = { name: text, cron: '0 3 * * *', command: text };
    await used.ask('POST', `${path}/schedules`, body);
  }
  const { page } = await used.open(`/services/${other.id}/commands`);
  await page.locator('.schedules li strong').last().waitFor();
  const { schedules } = await used.ask('GET', `${path}/schedules`);
  const normal = (text: string) => text.replace(/\s+/g, ' ').trim();
  expect((await page.locator('.schedules li strong').allTextContents()).map(normal)).toEqual(
    schedules.map(({ name }: { name: string }) => normal(name)),
  );
  await page
    .getByRole('button', { name: /^Edit / })
    .first()
    .click();
  await page.getByRole('dialog').waitFor();
  await page.goto(`/services/${other.id}/commands/${run.id}`);
  await page.locator('.log-row').first().waitFor();
  expect(await page.evaluate('window.ran')).toBeUndefined();
});

test('backups of volumes are planned, made and refused at the field from the room that a service with volumes has', async () => {
  const other = await newService('Uploads');
  const path = `/api/services/${other.id}`;
  const { page } = await used.open(`/services/${other.id}/variables`);
  const tab = page.getByRole('navigation', { name: 'Configure' }).getByRole('link', { name: 'Backups' });
  expect(await tab.count()).toBe(0);
  await used.ask('POST', `${path}/volumes`, { name: 'uploads', mountPath: '/data' });
  await tab.click();
  await page.getByRole('button', { name: 'Back up automatically' }).click();
  const plan = page.getByRole('dialog', { name: 'Automatic backups' });
  await plan.getByLabel('During the copy, the service').selectOption('command');
  await plan.getByLabel('Command before the copy').fill('x'.repeat(4_001));
  await plan.getByLabel('Command after the copy').fill('resume');
  await plan.getByRole('button', { name: 'Save' }).click();
  await plan
    .getByRole('alert')
    .getByText(/"before"/)
    .waitFor();
  await plan.getByLabel('Command before the copy').fill('pause');
  await plan.getByRole('button', { name: 'Save' }).click();
  await page.getByText(/^Automatic: daily/).waitFor();
  const settings = async () => (await used.ask('GET', `${path}/volume-backups`)).settings;
  expect(await settings()).toMatchObject({ automaticEnabled: true, dailyEnabled: true, quiesce: 'command' });
  // The commands are never shown, and stay.
  await page.getByRole('button', { name: 'Change' }).click();
  expect(await plan.getByLabel('Keep the commands around the copy').isChecked()).toBe(true);
  await plan.getByLabel('Weekly').check();
  await plan.getByRole('button', { name: 'Save' }).click();
  await page.getByText(/^Automatic: daily, weekly/).waitFor();
  expect(await settings()).toMatchObject({ quiesce: 'command', weeklyEnabled: true });

  await page.getByRole('button', { name: 'Back up now' }).click();
  const now = page.getByRole('dialog', { name: 'Back up now' });
  await now.getByLabel('During the copy, the service').selectOption('stop');
  await now.getByRole('button', { name: 'Back up now' }).click();
  await page.locator('.lines li').getByText('uploads').waitFor();
  await page.locator('.lines li').getByText('Failed', { exact: true }).waitFor();
});

test('the rooms of commands and of volume backups keep the contract of rooms', {
  tags: ['slow', 'matrix'],
  timeout: contractTimeoutMs,
}, async () => {
  const other = await newService('Contract');
  const path = `/api/services/${other.id}`;
  const nightly = { name: 'nightly report', cron: '0 3 * * 1-5', timeZone: 'Europe/Berlin' };
  await used.ask('POST', `${path}/schedules`, { ...nightly, command: 'npm run report -- --since yesterday' });
  const paused = { name: 'failing', cron: '0 0 1 * MON', command: 'exit 4', enabled: false };
  const { schedule } = await used.ask('POST', `${path}/schedules`, paused);
  const ended = async (run: { id: string }) =>
    await expect
      .poll(async () => (await used.ask('GET', `${path}/runs/${run.id}`)).run.status, { timeout: 30_000 })
      .not.toMatch(/queued|running/);
  const { run } = await used.ask('POST', `${path}/schedules/${schedule.id}/run`);
  await ended(run);
  await ended((await used.ask('POST', `${path}/run`, { command: 'echo migrated' })).run);
  const mount = { name: 'uploads', mountPath: '/data' };
  const { volume } = await used.ask('POST', `${path}/volumes`, mount);
  await used.ask('POST', `${path}/volume-backups`, { volumeId: volume.id, storage: 'disk' });
  const { page } = await used.open('/');
  const rooms = [
    {
      name: 'commands',
      path: `/services/${other.id}/commands`,
      shown: '.runs li code',
      open: async () => {
        await page.getByRole('button', { name: 'Edit nightly report' }).click();
        await page.getByText('Next, in the time of').waitFor();
      },
    },
    {
      name: 'a command',
      path: `/services/${other.id}/commands/${run.id}`,
      shown: '.log-row',
      open: () => page.getByRole('button', { name: 'Run again' }).click(),
    },
    {
      name: 'backups of volumes',
      path: `/services/${other.id}/backups`,
      shown: '.lines li .tag',
      open: async () => {
        await page.getByRole('button', { name: 'Back up now' }).click();
        await page.getByLabel('During the copy, the service').selectOption('command');
      },
    },
    { name: 'commands, none yet', path: `/services/${web.id}/commands`, shown: '.empty' },
  ];
  expect(await roomTroubles(page, rooms)).toEqual([]);
});
