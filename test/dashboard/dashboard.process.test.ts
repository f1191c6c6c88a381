/** The dashboard in a real browser, against the real control plane: sign-in, pages, keyboard, accessibility, hostile texts. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { contractTimeoutMs, roomTroubles } from '../support/browser/room-contract.ts';
import { useDashboard } from '../support/browser/use-dashboard.ts';
import { scriptCorpus, scriptTexts } from '../support/script-texts.ts';

const logLines = 5_000;

/** Lines of a build: colours, the corpus, one to be found, and many. */
async function writeBuildLog(directory: string): Promise<string> {
  const file = join(directory, 'build.log');
  const plain = Array.from({ length: logLines }, (_, n) => `step ${n + 1} of the build`);
  const lines = [
    '\u001b[32mgreen\u001b[0m and plain',
    ...scriptCorpus.map((text) => text.replace(/\s/g, ' ')),
    ...plain,
  ];
  lines[2_500] = 'the needle is here';
  await writeFile(file, lines.join('\n'));
  return file;
}

// Each takes some seconds in one browser, and several times that beside other files on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const used = useDashboard(writeBuildLog);
const source = { repoUrl: 'https://git.example/app.git', repoFullName: null };
let shop: { id: string; slug: string };
let web: { id: string };
let deployment: { id: string };

beforeAll(async () => {
  shop = (await used.ask('POST', '/api/projects', { name: 'Shop', description: 'What we sell' })).project;
  const env = [
    { key: 'LOG_LEVEL', value: 'info' },
    { key: 'API_TOKEN', value: 'hunter2hunter2' },
  ];
  web = (await used.ask('POST', `/api/projects/${shop.id}/services`, { ...source, name: 'web', env }))
    .service;
  deployment = await used.deploy(web.id);
  await used.ask('POST', `/api/services/${web.id}/env`, { key: 'LOG_LEVEL', value: 'debug' });
}, 120_000);

async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
}
const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name, level: 1 });

describe('signing in', () => {
  test('a wrong key is refused in a sentence, and a key opens the page that was wanted', async () => {
    const { page } = await used.open(`/projects/${shop.slug}`, { signedIn: false });
    await signIn(page, 'lsk_wrong');
    await page.getByRole('alert').getByText('not valid').waitFor();
    await signIn(page, used.key);
    await heading(page, 'Shop').waitFor();
  });

  test('no script can read the session, and its cookie alone opens nothing', async () => {
    const { page, context } = await used.open('/sign-in', { signedIn: false });
    await signIn(page, used.key);
    await heading(page, 'Projects').waitFor();
    expect(await page.evaluate('document.cookie')).toBe('');
    expect(await page.evaluate('fetch("/api/projects").then(({ status }) => status)')).toBe(401);
    expect((await context.cookies()).map(({ httpOnly, sameSite }) => [httpOnly, sameSite])).toEqual([
      [true, 'Strict'],
    ]);
  });

  test('a link signs in one browser, only when it is pressed, and its code leaves the address', async () => {
    const { link } = await used.ask('POST', '/api/sign-in-links');
    const { page } = await used.open(link.path, { signedIn: false });
    // Opened a second time, as a preview would: that uses nothing up.
    await used.open(link.path, { signedIn: false });
    await page.getByRole('button', { name: 'Sign in this browser' }).click();
    await heading(page, 'Projects').waitFor();
    expect(page.url()).toBe(`${used.url}/`);
    const { page: late } = await used.open(link.path, { signedIn: false });
    await late.getByRole('alert').getByText('already been used').waitFor();
    expect(await late.getByRole('button', { name: 'Sign in this browser' }).count()).toBe(0);
  });

  test('a link that is pasted into the address of the open page signs in, too', async () => {
    const { link } = await used.ask('POST', '/api/sign-in-links');
    const { page } = await used.open('/', { signedIn: false });
    await page.getByLabel('API key').waitFor();
    await page.evaluate(`location.hash = ${JSON.stringify(new URL(link.path, used.url).hash)}`);
    await page.getByRole('button', { name: 'Sign in this browser' }).click();
    await heading(page, 'Projects').waitFor();
    expect(page.url()).toBe(`${used.url}/`);
  });

  test('signing out ends the session on the server, and the pages show nothing any more', async () => {
    const { page } = await used.open('/settings');
    const before = await page.evaluate<string>("localStorage.getItem('longshore-session')");
    await page.getByRole('button', { name: 'Sign out', exact: true }).first().click();
    await page.getByLabel('API key').waitFor();
    const { id } = JSON.parse(before);
    const { sessions } = await used.ask('GET', '/api/sessions');
    expect(sessions.map((session: { id: string }) => session.id)).not.toContain(id);
  });

  test('a session that ends elsewhere leads back to the sign-in', async () => {
    const { page } = await used.open('/');
    const stored = await page.evaluate<string>("localStorage.getItem('longshore-session')");
    await used.operate('DELETE', `/api/system/sessions/${JSON.parse(stored).id}`);
    // The page may have asked for something in the meantime, and be there already.
    await page.reload();
    await page.getByLabel('API key').waitFor();
  });
});

test('everything is reached by keyboard: palette, filter, help, one level up, a deployment', async () => {
  const { page } = await used.open('/');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').waitFor();
  await page.keyboard.type('web');
  await page.getByRole('option', { name: /web/i, selected: true }).waitFor();
  await page.keyboard.press('Enter');
  await heading(page, /web/).waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').waitFor();
  await page.keyboard.type('deploy');
  await page.getByRole('option', { name: /deploy/i, selected: true }).waitFor();
  await page.keyboard.press('Enter');
  await heading(page, /Deployed/).waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('needle');
  await page.getByText('1 of 1').waitFor();
  await page.locator('.log-row.current mark').getByText('needle').waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('g');
  await page.keyboard.press('u');
  await heading(page, /web/).waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('u');
  await heading(page, 'Shop').waitFor();
});

test('a log of thousands of lines has only the rows in sight in the document, follows, and lets go', async () => {
  const { page, context } = await used.open(`/deployments/${deployment.id}`);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const scroller = page.getByRole('region', { name: 'Lines of the log' });
  await scroller.getByText('Done.').waitFor();
  expect(await page.locator('.log-row').count()).toBeLessThan(200);
  // Parts of the page that come later change its height, and a log that is still followed keeps its end.
  await expect
    .poll(async () => {
      await scroller.evaluate((element) => element.scrollTo(0, 0));
      return await page.getByRole('button', { name: 'To the end' }).isVisible();
    })
    .toBe(true);
  await scroller.locator('.ansi-2', { hasText: 'green' }).waitFor();
  await scroller.getByRole('button', { name: 'Copy link to line 5', exact: true }).click();
  await page.getByText('Link to line 5 copied').waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
    `${used.url}/deployments/${deployment.id}#L5`,
  );
  await page.goto(`/deployments/${deployment.id}#L2600`);
  await page.reload();
  await page.locator('.log-row.target').getByText('2600', { exact: true }).waitFor();
});

test('variables: what waits is marked, secrets are shown on demand, a pasted file is saved as a whole', async () => {
  await used.ask('POST', `/api/services/${web.id}/env`, { key: 'LOG_LEVEL', value: 'trace' });
  const { page } = await used.open(`/services/${web.id}/variables`);
  await page
    .getByRole('row', { name: /LOG_LEVEL/ })
    .getByText('Waits for a restart')
    .waitFor();
  expect(await page.getByText('hunter2hunter2').count()).toBe(0);
  await page.getByRole('button', { name: 'Show API_TOKEN' }).click();
  await page.getByText('hunter2hunter2').waitFor();
  // What the stream of changes renews stays shown.
  await used.ask('POST', `/api/services/${web.id}/env`, { key: 'A_FIRST', value: '1' });
  await page.getByRole('row', { name: /A_FIRST/ }).waitFor();
  expect(await page.getByText('hunter2hunter2').isVisible()).toBe(true);
  await page.getByRole('button', { name: 'Paste .env' }).click();
  await page.getByLabel('Text of the file').fill('LOG_LEVEL=warn\nGREETING="two\nlines"\n');
  await page.getByRole('listitem').filter({ hasText: 'GREETING' }).getByText('New').waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('2 variables saved').waitFor();
  await page.getByRole('button', { name: 'Restart to apply' }).click();
  await page.getByText('Waits for a restart').first().waitFor({ state: 'detached' });
  const { env } = await used.ask('GET', `/api/services/${web.id}/env`);
  expect(env.map(({ key, value }: { key: string; value: string }) => [key, value])).toContainEqual([
    'GREETING',
    'two\nlines',
  ]);
});

test('what another client changes shows by itself, and an idle page asks for nothing', {
  tags: 'slow',
}, async () => {
  // Within seconds of the connection of a host, pages ask for the state of its services.
  await expect
    .poll(async () => (await used.ask('GET', '/api/attention')).settling, { timeout: 60_000 })
    .toBe(false);
  const { page } = await used.open('/');
  await page.clock.install();
  const paths = ['/', `/projects/${shop.slug}`, `/services/${web.id}`, `/services/${web.id}/variables`];
  const live = page.getByRole('button', { name: 'Updates live' });
  const asked: string[] = [];
  const open = new Set<unknown>();
  page.on('request', (request) => {
    asked.push(request.url());
    if (!request.url().includes('/stream')) open.add(request);
  });
  page.on('requestfinished', (request) => open.delete(request));
  page.on('requestfailed', (request) => open.delete(request));
  for (const path of paths) {
    await page.goto(path);
    await live.waitFor();
    await expect.poll(() => open.size).toBe(0);
    asked.length = 0;
    await page.clock.runFor(30_000);
    expect(asked).toEqual([]);
  }
  const { id } = await used.ask('POST', `/api/services/${web.id}/env`, { key: 'FROM_ELSEWHERE', value: '1' });
  await page.getByRole('row', { name: /FROM_ELSEWHERE/ }).waitFor();
  await used.ask('DELETE', `/api/services/${web.id}/env/${id}`);
  await page.getByRole('row', { name: /FROM_ELSEWHERE/ }).waitFor({ state: 'detached' });
});

test('while nothing answers, the page says so and how old it is, and recovers by itself', async () => {
  const { page, context } = await used.open('/');
  await context.setOffline(true);
  await page.getByText('This device is offline.').waitFor();
  await page.getByText('Shop').waitFor();
  await context.setOffline(false);
  await page.getByText('This device is offline.').waitFor({ state: 'detached' });
});

test('texts of tenants never run, wherever they are shown', async () => {
  const project = (
    await used.ask('POST', '/api/projects', { name: scriptTexts[0], description: scriptTexts[1] })
  ).project;
  const names = scriptTexts.filter((text) => text.trim() !== '' && text.length <= 100);
  const services = [];
  for (const name of names) {
    const body = { ...source, name, branch: 'main', startCommand: name, env: [{ key: 'TEXT', value: name }] };
    services.push((await used.ask('POST', `/api/projects/${project.id}/services`, body)).service);
  }
  const env = scriptCorpus.map((value, n) => ({ key: `TEXT_${n}`, value, secret: false }));
  await used.ask('POST', `/api/services/${services[0].id}/env/bulk`, { env });
  const { page } = await used.open('/');
  const paths = [
    `/projects/${project.slug}`,
    ...services.slice(0, 3).flatMap(({ id }) => [`/services/${id}`, `/services/${id}/variables`]),
    `/deployments/${deployment.id}#L2`,
  ];
  for (const path of paths) {
    await page.goto(path);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
  }
  expect(await page.evaluate('window.ran')).toBeUndefined();
  await page.goto(`/services/${services[0].id}/variables`);
  await page.getByText(scriptCorpus.at(-1) ?? '', { exact: true }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('option').nth(5).waitFor();
  expect(await page.evaluate('window.ran')).toBeUndefined();
  await page.goto(`/projects/${project.slug}`);
  await page
    .locator('.picture-box strong, table.services .row-link')
    .getByText(names[2] ?? '', { exact: true })
    .first()
    .waitFor();
});

test('a page that is opened offline for the first time says so, and opens when the connection is back', async () => {
  const { page, context } = await used.open('/');
  await page.getByRole('link', { name: 'Alerts' }).waitFor();
  await context.setOffline(true);
  await page.getByRole('link', { name: 'Alerts' }).click();
  await page.getByRole('heading', { name: 'This page was not opened before' }).waitFor();
  await context.setOffline(false);
  await page.getByRole('heading', { name: 'Alerts', level: 1 }).waitFor();
});

test('the policy of the page allows its own files only, and blocks an inline script and a style', async () => {
  const reply = await fetch(`${used.url}/`, { headers: { accept: 'text/html' } });
  expect(reply.headers.get('content-security-policy')).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  );
  expect(await reply.text()).not.toMatch(/<style|style=|<script(?! (src|type))|\son\w+=/);
  const context = await (await used.open('/')).context.newPage();
  await context.goto('/');
  const blocked = await context.evaluate<string[]>(`(async () => {
    const seen = [];
    document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => seen.push(effectiveDirective));
    const script = document.createElement('script');
    script.textContent = 'window.ran = true';
    const div = document.createElement('div');
    div.innerHTML = '<p style="color: red">x</p>';
    document.body.append(script, div);
    await new Promise((resolve) => setTimeout(resolve, 50));
    return seen;
  })()`);
  expect(blocked.sort()).toEqual(['script-src-elem', 'style-src-attr']);
});

test('every page passes axe and does not scroll sideways: wide and on a phone, light and dark', {
  tags: ['slow', 'matrix'],
  timeout: contractTimeoutMs,
}, async () => {
  const { page } = await used.open('/', { reducedMotion: 'reduce' });
  const openPalette = async () => {
    await page.keyboard.press('Control+k');
    await page.getByRole('option').first().waitFor();
  };
  const rooms = [
    { name: 'projects', path: '/', shown: '.projects', open: openPalette },
    { name: 'project', path: `/projects/${shop.slug}`, shown: '.picture-box' },
    { name: 'service', path: `/services/${web.id}`, shown: '.columns' },
    { name: 'deployments', path: `/services/${web.id}/deployments`, shown: '.deployments' },
    { name: 'variables', path: `/services/${web.id}/variables`, shown: '.variables' },
    { name: 'deployment', path: `/deployments/${deployment.id}`, shown: '.log-row' },
    { name: 'settings', path: '/settings', shown: '.sessions' },
    { name: 'sign-in', path: '/sign-in', shown: 'form' },
  ];
  expect(await roomTroubles(page, rooms)).toEqual([]);
});
