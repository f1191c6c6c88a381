/** The terminal of a shell in a real browser, on a host that opens none: the policy of the pages, and a refusal in words. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test, vi } from 'vitest';
import { contractTimeoutMs, roomTroubles } from '../support/browser/room-contract.ts';
import { useDashboard } from '../support/browser/use-dashboard.ts';

vi.setConfig({ testTimeout: 120_000 });

const used = useDashboard(async (directory) => {
  const file = join(directory, 'build.log');
  await writeFile(file, 'one line');
  return file;
});
let web: { id: string };
const path = () => `/services/${web.id}/commands/shell`;

beforeAll(async () => {
  const shop = (await used.ask('POST', '/api/projects', { name: 'Shop' })).project;
  const body = { name: 'web', repoUrl: 'https://git.example/web.git', repoFullName: null };
  web = (await used.ask('POST', `/api/projects/${shop.id}/services`, body)).service;
  await used.deploy(web.id);
}, 120_000);

test('each load of the page draws the terminal by style sheets that the policy allows, and says why no shell opens', async () => {
  const { page } = await used.open(`/services/${web.id}/commands`);
  await page.getByRole('link', { name: 'Open a shell' }).click();
  for (let load = 0; load < 4; load++) {
    await page.getByRole('alert').getByText(/\w/).waitFor();
    const font = await page.evaluate<string>(
      "getComputedStyle(document.querySelector('.xterm-rows')).fontFamily",
    );
    expect(font).toContain('monospace');
    await page.getByRole('button', { name: 'Open another shell' }).waitFor();
    await page.reload();
  }
});

test(
  'the terminal fulfils the contract of all pages',
  async () => {
    const { page } = await used.open('/');
    expect(await roomTroubles(page, [{ name: 'terminal', path: path(), shown: '.xterm-rows' }])).toEqual([]);
  },
  contractTimeoutMs,
);
