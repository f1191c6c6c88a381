/** A deployment as a story, in a real browser: its steps beside the log, restarts and rollbacks under their own names, and the way back from the list. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test, vi } from 'vitest';
import { contractTimeoutMs, roomTroubles } from '../support/browser/room-contract.ts';
import { useDashboard } from '../support/browser/use-dashboard.ts';

// Each takes some seconds in one browser, and several times that beside other files on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const used = useDashboard(async (directory) => {
  const file = join(directory, 'build.log');
  await writeFile(file, Array.from({ length: 80 }, (_, n) => `step ${n + 1} of the build`).join('\n'));
  return file;
});
let web: { id: string };
let first: { id: string };
let second: { id: string };

beforeAll(async () => {
  const shop = (await used.ask('POST', '/api/projects', { name: 'Shop' })).project;
  const env = [{ key: 'GREETING', value: 'first-secret-value' }];
  const body = { name: 'web', repoUrl: 'https://git.example/app.git', repoFullName: null, env };
  web = (await used.ask('POST', `/api/projects/${shop.id}/services`, body)).service;
  used.commit('First version');
  first = await used.deploy(web.id);
  await used.ask('POST', `/api/services/${web.id}/env`, { key: 'GREETING', value: 'second-secret-value' });
  used.commit('Second version');
  second = await used.deploy(web.id);
}, 120_000);

test('the steps stand beside the log with their states and times, and a chosen one shows its lines', async () => {
  const { page } = await used.open(`/deployments/${second.id}`);
  const steps = page.getByRole('list', { name: 'Steps' });
  await expect
    .poll(() => steps.getByRole('button').allInnerTexts())
    .toEqual([
      'All steps',
      ...['Source', 'Build', 'Start', 'Health', 'Switch'].map((name) =>
        expect.stringMatching(new RegExp(`^${name}\\s+0\\.1 s$`)),
      ),
      expect.stringMatching(/^Finish/),
    ]);
  await steps.getByRole('button', { name: /^Source/ }).click();
  await page.locator('.log-row').getByText('clone: done in').waitFor();
  expect(await page.getByText('step 1 of the build', { exact: true }).count()).toBe(0);
  await steps.getByRole('button', { name: 'All steps' }).click();
  await page.getByText('step 80 of the build').waitFor();
  const { height } = (await page.locator('.log-scroller').boundingBox()) ?? expect.fail();
  expect(height).toBeGreaterThan(400);
});

test('the head links the commit at its git host, and names the version', async () => {
  const { page } = await used.open(`/deployments/${second.id}`);
  const sha = '0'.repeat(40);
  await page.locator(`a[href="https://git.example/app/commit/${sha}"]`).waitFor();
  await page.getByRole('heading', { level: 1 }).getByText('Second version').waitFor();
});

test('a restart says that it restarts, builds nothing, and the buttons of the head stay in their place', async () => {
  const { page } = await used.open(`/services/${web.id}`);
  const restart = page.getByRole('button', { name: 'Restart', exact: true });
  await restart.waitFor();
  const before = await restart.boundingBox();
  const letGo = used.hold('start');
  const { deployment } = await used.ask('POST', `/api/services/${web.id}/restart`);
  await page.getByRole('heading', { level: 1 }).getByText('Restarting').waitFor();
  expect(await restart.isDisabled()).toBe(true);
  expect((await restart.boundingBox())?.y).toBe(before?.y);
  expect(await page.getByText('Building').count()).toBe(0);
  await page.goto(`/deployments/${deployment.id}`);
  await page.getByRole('heading', { level: 1 }).getByText('Restarting').waitFor();
  const steps = page.getByRole('list', { name: 'Steps' }).getByRole('button');
  expect((await steps.allInnerTexts()).map((text) => text.split('\n')[0])).toEqual([
    ...['All steps', 'Start', 'Health', 'Switch', 'Finish'],
  ]);
  letGo();
  await page.getByRole('heading', { level: 1 }).getByText('Live', { exact: true }).waitFor();
});

test('a service with a volume asks before a restart, and tells the downtime', async () => {
  const { page } = await used.open(`/services/${web.id}`);
  await page.route('**/overview', async (route) => {
    const reply = await route.fetch();
    await route.fulfill({ response: reply, json: { ...(await reply.json()), switch: 'stop-start' } });
  });
  await page.reload();
  const asked = page
    .waitForRequest((one) => one.url().endsWith('/restart'), { timeout: 2_000 })
    .catch(() => null);
  await page.getByRole('button', { name: 'Restart', exact: true }).click();
  await page
    .getByRole('dialog', { name: 'Restart web?' })
    .getByText(/stops before the new one starts/)
    .waitFor();
  expect(await asked).toBe(null);
});

test('a rollback is two clicks from the list, and the question names both versions, the variables and the downtime', async () => {
  const { page } = await used.open(`/services/${web.id}/deployments`);
  const rows = page.locator('.deployments > li');
  expect(await rows.first().getAttribute('class')).toContain('is-live');
  await page.getByRole('button', { name: /^Roll back to 0000000 First version/ }).click();
  const question = page.getByRole('dialog');
  await question.getByText('0000000 Second version').waitFor();
  await question.getByText('0000000 First version').waitFor();
  await question.getByText('GREETING').waitFor();
  await question.getByText(/^No downtime/).waitFor();
  expect(await question.innerText()).not.toContain('secret-value');
  await question.getByRole('button', { name: 'Roll back to this' }).click();
  await page.waitForURL((url) => url.pathname.startsWith('/deployments/'));
  await page.getByRole('heading', { level: 1 }).getByText('Live', { exact: true }).waitFor();
});

test('rooms of deployments keep the contract', { timeout: contractTimeoutMs }, async () => {
  for (let n = 0; n < 3; n += 1) await used.ask('POST', `/api/services/${web.id}/restart`).then(waited);
  const { page } = await used.open('/');
  const rooms = [
    {
      name: 'deployment',
      path: `/deployments/${first.id}`,
      shown: '.comparison table, .comparison .quiet-text',
    },
    { name: 'deployment list', path: `/services/${web.id}/deployments`, shown: '.restarts' },
  ];
  expect(await roomTroubles(page, rooms)).toEqual([]);
});

const waited = ({ deployment }: { deployment: { id: string } }) =>
  used.ask('GET', `/api/deployments/${deployment.id}?wait=60`);
