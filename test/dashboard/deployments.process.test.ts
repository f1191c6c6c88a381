/** The room of a deployment in a real browser: beside an earlier one, and its log by level, step and with wrapped lines. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test, vi } from 'vitest';
import { contractTimeoutMs, roomTroubles } from '../support/browser/room-contract.ts';
import { useDashboard } from '../support/browser/use-dashboard.ts';
import { gitHubPush, headSha } from '../support/servers/git-deliveries.ts';

const long = 'a line that is far longer than any screen is wide, '.repeat(12);
const buildLog = [
  'npm warn deprecated left-pad@1.0.0',
  long,
  ...Array.from({ length: 300 }, (_, n) => `step ${n + 1} of the build`),
  'src/a.ts(3,5): error TS2322: no',
  `漢字 ${'漢字'.repeat(300)} the end`,
  ...Array.from({ length: 300 }, (_, n) => `step ${n + 301} of the build`),
];

// Each takes some seconds in one browser, and several times that beside other files on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const used = useDashboard(async (directory) => {
  const file = join(directory, 'build.log');
  await writeFile(file, buildLog.join('\n'));
  return file;
});
let projectId: string;
let web: { id: string };
let first: { id: string };
let second: { id: string };

beforeAll(async () => {
  const shop = (await used.ask('POST', '/api/projects', { name: 'Shop' })).project;
  projectId = shop.id;
  const env = [
    { key: 'GREETING', value: 'first-secret-value' },
    { key: 'GONE', value: 'old-secret-value' },
  ];
  const body = { name: 'web', repoUrl: 'https://git.example/app.git', repoFullName: null, env };
  web = (await used.ask('POST', `/api/projects/${shop.id}/services`, body)).service;
  first = await used.deploy(web.id);
  const { env: set } = await used.ask('GET', `/api/services/${web.id}/env`);
  const gone = set.find(({ key }: { key: string }) => key === 'GONE');
  await used.ask('DELETE', `/api/services/${web.id}/env/${gone.id}`);
  await used.ask('POST', `/api/services/${web.id}/env`, { key: 'GREETING', value: 'second-secret-value' });
  await used.ask('POST', `/api/services/${web.id}/env`, { key: 'MORE', value: 'new-secret-value' });
  await used.ask('PATCH', `/api/services/${web.id}`, { startCommand: 'node other.js' });
  second = await used.deploy(web.id);
}, 120_000);

test('a deployment shows what changed since the one before it: settings, names of variables and times, no values', async () => {
  const { page } = await used.open(`/deployments/${second.id}`);
  const panel = page.locator('.comparison');
  const row = (name: string) => panel.getByRole('row').filter({ has: page.getByText(name, { exact: true }) });
  await row('startCommand').getByText('not set').waitFor();
  await row('startCommand').getByText('node other.js').waitFor();
  await row('Build').getByText(/\d s/).first().waitFor();
  const variables = panel.getByRole('list', { name: 'Variables' });
  expect((await variables.getByRole('listitem').allInnerTexts()).map((text) => text.split(/\s+/))).toEqual([
    ['MORE', 'Added'],
    ['GREETING', 'Changed'],
    ['GONE', 'Removed'],
  ]);
  expect(await panel.innerText()).not.toContain('secret-value');
});

test('a deployment whose host is killed in the middle says so, tells the end when it is back, and is tried again', {
  tags: 'slow',
}, async () => {
  const letGo = used.hold('build');
  const { deployment } = await used.ask('POST', `/api/services/${web.id}/deployments`);
  const { page } = await used.open(`/deployments/${deployment.id}`);
  const phases = page.getByRole('list', { name: 'Steps' });
  await phases.getByText(/^Build/).waitFor();
  const lines = page.locator('.log-foot span').first();
  const countLines = async () => Number.parseInt(await lines.innerText(), 10);
  await expect.poll(countLines).toBeGreaterThan(0);
  const read = await countLines();
  await used.killHost();
  await page
    .getByText(/Waits for the host .*, away since .* Whether it goes on or has failed is known/)
    .waitFor();
  // Nobody knows how far it is, so no phase runs on; what was printed stays.
  await phases.locator('.is-running').waitFor({ state: 'detached' });
  expect(await countLines()).toBeGreaterThanOrEqual(read);
  letGo();
  used.startHost();
  await page.getByRole('heading', { level: 1 }).getByText('Failed', { exact: true }).waitFor();
  await page
    .locator('.attention')
    .getByText('The runner was stopped or restarted during the deployment.')
    .waitFor();
  expect(await page.getByText(/away since/).count()).toBe(0);
  await page.getByRole('button', { name: 'Deploy again' }).click();
  await page.waitForURL((url) => !url.pathname.endsWith(deployment.id));
  await page.getByRole('heading', { level: 1 }).getByText('Live', { exact: true }).waitFor();
});

test('the first deployment says that nothing was live before, and is compared with a later one by choice', async () => {
  const { page } = await used.open(`/deployments/${first.id}`);
  await page.getByText('No version was live before this one.').waitFor();
  await page.getByLabel('Compare with', { exact: true }).selectOption(second.id);
  await page.getByRole('list', { name: 'Variables' }).getByText('MORE').waitFor();
  // Seen from the first one, it is the other way around.
  expect(await page.locator('.changes li', { hasText: 'MORE' }).innerText()).toMatch(/Removed/);
});

test('a log is shown by level and by step', async () => {
  const { page } = await used.open(`/deployments/${second.id}`);
  const rows = page.locator('.log-row');
  const count = page.locator('.log-foot span').first();
  await page.getByLabel('Lines', { exact: true }).selectOption('Errors');
  await expect.poll(() => rows.allInnerTexts()).toEqual([expect.stringContaining('error TS2322')]);
  await page.getByLabel('Lines', { exact: true }).selectOption('Warnings and errors');
  await expect.poll(() => rows.count()).toBe(2);
  await page.getByLabel('Step', { exact: true }).selectOption('Source');
  await page.getByText('No matching lines').waitFor();
  await expect.poll(() => count.innerText()).toBe('0 lines');
  await page.getByLabel('Lines', { exact: true }).selectOption('All lines');
  await rows.getByText('clone: done in').waitFor();
  expect(await page.getByText('of the build').count()).toBe(0);
  await page.getByLabel('Step', { exact: true }).selectOption('Build');
  await expect.poll(async () => Number.parseInt(await count.innerText(), 10)).toBeGreaterThan(600);
});

test('wrapped lines are read whole, nothing overlaps, and the line that is read stays in sight', async () => {
  const { page } = await used.open(`/deployments/${second.id}#L450`);
  await page.locator('.log-row.target').waitFor();
  const wrap = page.getByRole('button', { name: 'Wrap lines' });
  await wrap.click();
  await page.locator('.log-row.target').waitFor();
  await expect.poll(() => page.locator('.log-row.target').evaluate(isInSight)).toBe(true);
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 });
    for (const part of [0, 0.5, 1]) {
      await page.locator('.log-scroller').evaluate(scrollTo, part);
      await expect.poll(() => page.locator('.log-content').evaluate(troublesOfRows)).toEqual([]);
    }
  }
  await wrap.click();
  await expect
    .poll(() => page.locator('.log-row').evaluateAll((rows) => rows.every((row) => row.clientHeight === 20)))
    .toBe(true);
});

test('a push that waits for checks is shown with its service, and is deployed at once or not at all', async () => {
  await used.ask('POST', '/api/git-credentials', { host: 'git.example', token: 'x', commitStatus: 'gitea' });
  const body = {
    name: 'api',
    repoUrl: 'https://git.example/team/app.git',
    repoFullName: null,
    waitForChecks: true,
  };
  const { service } = await used.ask('POST', `/api/projects/${projectId}/services`, body);
  const { secret } = (await used.ask('POST', `/api/services/${service.id}/webhook`)).webhook;
  const push = async () => {
    const delivery = await gitHubPush(secret, { message: 'Fix <b>the cart</b>' });
    const reply = await fetch(`${used.url}/api/hooks/git/${service.id}`, { method: 'POST', ...delivery });
    expect(await reply.json()).toMatchObject({ deployment: null });
  };
  await push();
  const { page } = await used.open(`/services/${service.id}`);
  const panel = page.locator('section').filter({ has: page.getByText('A push', { exact: false }) });
  await panel.getByText('Fix <b>the cart</b>').waitFor();
  await panel.getByText(headSha.slice(0, 7)).waitFor();
  await page.getByRole('button', { name: "Don't deploy" }).click();
  await panel.waitFor({ state: 'detached' });
  await push();
  await page.getByRole('button', { name: 'Deploy now' }).click();
  await page.waitForURL(/\/deployments\/dep_/);
  const { deployments } = await used.ask('GET', `/api/services/${service.id}/deployments`);
  expect(deployments).toMatchObject([{ ref: headSha, trigger: 'manual' }]);
});

test('the room of a deployment keeps the contract of rooms', {
  tags: ['slow', 'matrix'],
  timeout: contractTimeoutMs,
}, async () => {
  const { page } = await used.open('/');
  const open = async () => {
    await page.getByRole('list', { name: 'Variables' }).waitFor();
  };
  const room = { name: 'deployment', path: `/deployments/${second.id}`, shown: '.log-row', open };
  expect(await roomTroubles(page, [room])).toEqual([]);
});

/* These run in the page. */
// biome-ignore-start lint/suspicious/noExplicitAny: elements of the page, whose types are not those of tests
const isInSight = (row: any): boolean => {
  const outer = row.closest('.log-scroller').getBoundingClientRect();
  const { top, bottom } = row.getBoundingClientRect();
  return top >= outer.top && bottom <= outer.bottom;
};
const scrollTo = (scroller: any, part: number): void => {
  scroller.scrollTop = part * (scroller.scrollHeight - scroller.clientHeight);
};
/** Rows that begin elsewhere than where the one before ends, or that are cut. */
const troublesOfRows = (content: any): string[] =>
  [...content.querySelectorAll(':scope > .log-row')].flatMap((row, index, rows) => {
    const { top, bottom } = row.getBoundingClientRect();
    const next = rows[index + 1]?.getBoundingClientRect();
    const name = row.textContent.slice(0, 30);
    return [
      ...(next && Math.abs(next.top - bottom) > 1
        ? [`${name}: ends at ${bottom}, the next begins at ${next.top}`]
        : []),
      ...(row.scrollWidth > row.clientWidth + 1 ? [`${name}: is cut at ${top}`] : []),
    ];
  });
// biome-ignore-end lint/suspicious/noExplicitAny: as above

test('a tag is deployed from the dialog, shown where deployments are listed, and deployed again after an abort', {
  tags: 'slow',
}, async () => {
  const release = used.hold('build');
  const { page } = await used.open(`/services/${web.id}`);
  await page.getByRole('button', { name: 'Deploy a version' }).click();
  const dialog = page.getByRole('dialog', { name: 'Deploy a version of web' });
  await dialog.getByLabel('Branch, tag or commit').fill('-no ref');
  await dialog.getByRole('button', { name: 'Deploy', exact: true }).click();
  await dialog.getByRole('alert').getByText('must be a commit id').waitFor();
  await dialog.getByLabel('Branch, tag or commit').fill('v1.4.0');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/deployments/*');
  const asked = page.getByText('requested as v1.4.0');
  await asked.waitFor();
  await page.getByRole('button', { name: 'Abort', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Abort' }).click();
  const aborted = page.url();
  release();
  await page.getByRole('button', { name: 'Deploy again' }).click();
  await page.waitForURL((url) => url.href !== aborted);
  await asked.waitFor();
  await page.goto(`/services/${web.id}/deployments`);
  await expect.poll(() => asked.count()).toBe(2);
});
