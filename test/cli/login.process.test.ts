/** Login by the browser: the bundled program against a real control plane, and a real browser in which the member allows it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { bundle } from '../../cli/bundle.ts';
import { contractTimeoutMs, roomTroubles } from '../support/browser/room-contract.ts';
import { useDashboard } from '../support/browser/use-dashboard.ts';

// Each takes some seconds, and several times that beside other files on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const used = useDashboard(async (directory) => {
  const file = join(directory, 'build.log');
  await writeFile(file, 'one line');
  return file;
});

let program: string;
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'longshore-login-'));
  program = await bundle(join(directory, 'longshore.mjs'));
  await used.ask('POST', '/api/projects', { name: 'Shop' });
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** A machine on which nobody is logged in. */
async function aMachine() {
  const home = await mkdtemp(join(directory, 'home-'));
  const stored = join(home, 'contexts.json');
  const start = (...args: string[]) => {
    const env = { PATH: process.env.PATH, HOME: home, LONGSHORE_CONFIG_DIR: home };
    const child = spawn(process.execPath, [program, ...args], {
      env,
      cwd: home,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    onTestFinished(() => void child.kill());
    return child;
  };
  return {
    start,
    stored,
    run: (...args: string[]) => endOf(start(...args)),
    /** The stored login. */
    login: async () => JSON.parse(await readFile(stored, 'utf8')).contexts.default,
    /** The key of the login has ended. */
    async ageKey() {
      const contexts = JSON.parse(await readFile(stored, 'utf8'));
      contexts.contexts.default.device.keyUntil = 0;
      await writeFile(stored, JSON.stringify(contexts), { mode: 0o600 });
    },
  };
}

function endOf(child: ChildProcess) {
  const ended = { code: null as number | null, out: '', err: '' };
  child.stdout?.on('data', (text) => {
    ended.out += text;
  });
  child.stderr?.on('data', (text) => {
    ended.err += text;
  });
  return new Promise<typeof ended>((resolve) => child.on('close', (code) => resolve({ ...ended, code })));
}

/** The code that a login shows. */
const codeOf = (child: ChildProcess) =>
  new Promise<string>((resolve) => {
    let text = '';
    child.stderr?.on('data', (part) => {
      text += part;
      const [code] = /\b[B-Z]{4}-[B-Z]{4}\b/.exec(text) ?? [];
      if (code) resolve(code);
    });
  });

let members = 0;
/** A browser in which a new member is signed in. */
async function openAsMember(role = 'owner', path = '') {
  members += 1;
  const body = { email: `ada${members}@example.com`, name: 'Ada', role };
  const { link, member } = await used.operate('POST', '/api/system/tenants/default/members', body);
  const { page } = await used.open(path || link.path, { signedIn: false });
  if (path) return { page, member, link: link.path as string, email: body.email };
  await page.getByRole('button', { name: 'Sign in this browser' }).click();
  await page.getByRole('heading', { name: 'Projects', level: 1 }).waitFor();
  return { page, member, link: link.path as string, email: body.email };
}

/** A machine on which a new member is logged in, allowed by requests of a browser. */
async function aLogin(role = 'viewer') {
  members += 1;
  const body = { email: `ada${members}@example.com`, name: 'Ada', role };
  const { link } = await used.operate('POST', '/api/system/tenants/default/members', body);
  const opened = await post('/api/sessions', {}, { authorization: `Bearer ${link.path.split('#')[1]}` });
  const cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? '';
  const { proof } = (await opened.json()) as { proof: string };
  const asked = await post('/api/sign-in/device', { name: hostname(), version: '1' });
  const { userCode, deviceToken } = (await asked.json()) as { userCode: string; deviceToken: string };
  await post('/api/sign-in/device/allow', { userCode }, { cookie, 'x-longshore-session': proof });
  const exchanged = (await (await post('/api/sign-in/device/exchange', { deviceToken })).json()) as {
    [name in 'sessionId' | 'token' | 'deviceToken']: string;
  };
  const machine = await aMachine();
  const device = { sessionId: exchanged.sessionId, token: exchanged.deviceToken, keyUntil: 0 };
  const context = { url: used.url, key: exchanged.token, device };
  await writeFile(machine.stored, JSON.stringify({ current: 'default', contexts: { default: context } }), {
    mode: 0o600,
  });
  return machine;
}

async function post(path: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  const reply = await fetch(`${used.url}${path}`, { method: 'POST', body: JSON.stringify(body), headers });
  expect(reply.status, path).toBe(200);
  return reply;
}

test('a member who is not signed in comes from the link of the terminal through the sign-in to the code, compares it and allows it', async () => {
  const machine = await aMachine();
  const login = machine.start('login', used.url, '--browser');
  const ended = endOf(login);
  const code = await codeOf(login);
  // What the terminal opens.
  const { page, link, email } = await openAsMember('developer', `/device#${code}`);
  await page.getByRole('heading', { name: 'Sign in to Longshore' }).waitFor();
  await page.getByLabel('Key').fill(link.split('#')[1] ?? '');
  await page.keyboard.press('Enter');
  await page.getByText('Compare the code with the one in your terminal').waitFor();
  expect(await page.getByLabel('Code').inputValue()).toBe(code);
  expect(page.url()).toBe(`${used.url}/device`);
  expect(await page.getByRole('button', { name: 'Allow' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('heading', { name: `${hostname()} asks to sign in` }).waitFor();
  for (const fact of [code, '127.0.0.1', `${email}, Developer`])
    await page.getByText(fact, { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.getByRole('heading', { name: 'The command line is signed in' }).waitFor();
  const { out, err, code: exitCode } = await ended;
  expect([exitCode, out], err).toEqual([
    0,
    `Logged in to ${used.url} as ${email} (developer), context default.\n`,
  ]);
  expect((await stat(machine.stored)).mode & 0o777).toBe(0o600);
  expect(JSON.parse((await machine.run('ps', '--json')).out)).toEqual({ services: [] });

  // The list of the dashboard, where the member ends it.
  await page.goto('/settings');
  const session = page.locator('.sessions li').filter({ hasText: 'Command line' });
  await session.getByText(hostname()).waitFor();
  await session.getByRole('button', { name: 'Sign out' }).click();
  await session.waitFor({ state: 'detached' });
  const after = await machine.run('ps');
  expect([after.code, after.err]).toEqual([
    1,
    `The login at ${used.url} has ended (This sign-in of a command line has ended: sign in again). Log in again: longshore login ${used.url}\n`,
  ]);
});

test('a login that is denied stores nothing, and a browser with a key can allow none', async () => {
  const machine = await aMachine();
  const login = machine.start('login', used.url, '--browser');
  const ended = endOf(login);
  const code = await codeOf(login);
  const { page: withKey } = await used.open('/device');
  await withKey.getByText('This browser is signed in with a key').waitFor();
  const { page } = await openAsMember();
  await page.goto('/device');
  await page.getByLabel('Code').fill('BBBB-BBBB');
  await page.keyboard.press('Enter');
  await page.getByText('No command line waits with this code').waitFor();
  await page.getByLabel('Code').fill(code);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.getByRole('heading', { name: 'Denied' }).waitFor();
  const { code: exitCode, err } = await ended;
  expect([exitCode, err]).toEqual([
    1,
    expect.stringContaining(
      `The sign-in was denied in the browser. Nothing was stored. Log in again: longshore login ${used.url}`,
    ),
  ]);
  await expect(stat(machine.stored)).rejects.toThrow('ENOENT');
});

test('the key is renewed once by several commands at once, the login is listed, and logout ends it', async () => {
  const machine = await aLogin();
  const first = await machine.login();
  const together = await Promise.all(Array.from({ length: 4 }, () => machine.run('ps', '--json')));
  expect(together.map(({ code, err }) => [code, err])).toEqual(together.map(() => [0, '']));
  const second = await machine.login();
  expect(second.device.sessionId).toBe(first.device.sessionId);
  expect(second.device.token).not.toBe(first.device.token);
  // With more than one renewal, this would be the use of a copy.
  await machine.ageKey();
  expect((await machine.run('ps', '--json')).code).toBe(0);
  await expect(stat(`${machine.stored}.lock`)).rejects.toThrow('ENOENT');
  expect((await stat(machine.stored)).mode & 0o777).toBe(0o600);

  const { sessions } = JSON.parse((await machine.run('sessions', 'list', '--json')).out);
  expect(sessions).toMatchObject([
    { kind: 'browser' },
    { id: first.device.sessionId, kind: 'command-line', name: hostname(), isCurrent: true },
  ]);
  const { key } = await machine.login();
  expect(await machine.run('logout')).toEqual({ code: 0, out: `Logged out of ${used.url}.\n`, err: '' });
  const headers = { authorization: `Bearer ${key}` };
  expect((await fetch(`${used.url}/api/key`, { headers })).status).toBe(401);
  expect((await machine.run('ps')).err).toContain('You are not logged in.');
});

test('context remove ends the login at the instance, and removes it from the machine also if the instance is gone', async () => {
  const [machine, gone] = [await aLogin(), await aLogin()];
  await machine.run('projects');
  const { key } = await machine.login();
  const statusOf = async () =>
    (await fetch(`${used.url}/api/key`, { headers: { authorization: `Bearer ${key}` } })).status;
  expect(await statusOf()).toBe(200);
  const removed = await machine.run('context', 'remove', 'default');
  expect([removed.code, removed.err]).toEqual([0, '']);
  expect([await statusOf(), await machine.login()]).toEqual([401, undefined]);

  const stored = JSON.parse(await readFile(gone.stored, 'utf8'));
  stored.contexts.default.url = 'http://127.0.0.1:1';
  stored.contexts.other = { url: used.url, key: 'lsk_x' };
  await writeFile(gone.stored, JSON.stringify(stored), { mode: 0o600 });
  const late = await gone.run('context', 'remove', 'default');
  expect([late.code, late.out]).toEqual([
    0,
    'No context is selected. Select one: longshore context use NAME\n',
  ]);
  expect(late.err).toContain('The login at http://127.0.0.1:1 could not be ended');
  const ofKey = await gone.run('context', 'remove', 'other');
  expect(ofKey.err).toContain('still works: whoever made it can revoke it');
  expect(JSON.parse(await readFile(gone.stored, 'utf8'))).toEqual({ current: null, contexts: {} });
});

test('a member creates a key for a program on the command line, sees who made it, and revokes it', async () => {
  const machine = await aLogin('developer');
  const made = JSON.parse((await machine.run('keys', 'create', 'ci', '--days', '60', '--json')).out);
  expect(made.key).toMatchObject({ access: 'deploy', maker: { type: 'member', name: 'Ada' } });
  const listed = JSON.parse((await machine.run('keys', 'list', '--json')).out);
  expect(listed.keys.map(({ name }: { name: string }) => name)).toEqual(['ci']);
  expect((await machine.run('keys', 'create', 'late', '--days', '91')).err).toContain('from 1 to 90');
  const byOperator = await used.operate('GET', '/api/system/keys?limit=1000');
  expect(byOperator.keys).toContainEqual(expect.objectContaining({ id: made.key.id, maker: made.key.maker }));
  expect((await machine.run('keys', 'revoke', 'ci', '-y')).code).toBe(0);
});

test('a renewal whose answer was lost is repeated by the next command', async () => {
  const machine = await aLogin();
  await post('/api/sign-in/device/exchange', { deviceToken: (await machine.login()).device.token });
  expect((await machine.run('ps', '--json')).code).toBe(0);
});

test('a command that was killed during a renewal blocks others only for half a minute', async () => {
  const machine = await aLogin();
  await writeFile(`${machine.stored}.lock`, '');
  const before = new Date(Date.now() - 31_000);
  await utimes(`${machine.stored}.lock`, before, before);
  expect((await machine.run('ps', '--json')).code).toBe(0);
});

test('a copy of the login on another machine ends it on both, and each says how to log in again', async () => {
  const [machine, thief] = [await aLogin(), await aMachine()];
  await writeFile(thief.stored, await readFile(machine.stored), { mode: 0o600 });
  for (let time = 0; time < 2; time++) {
    await thief.ageKey();
    expect((await thief.run('ps', '--json')).code).toBe(0);
  }
  const noticed = await machine.run('ps');
  expect([noticed.code, noticed.err]).toEqual([1, expect.stringContaining('somebody may have a copy of it')]);
  expect(noticed.err).toContain(`Log in again: longshore login ${used.url}\n`);
  expect((await thief.run('ps')).err).toContain(`Log in again: longshore login ${used.url}\n`);
});

test('without a terminal, login says how to log in there, and waits for nobody', async () => {
  const machine = await aMachine();
  const { code, err } = await machine.run('login', used.url);
  expect([code, err]).toEqual([2, expect.stringMatching(/--stdin.*LONGSHORE_KEY.*--browser/)]);
  expect((await machine.run('login', used.url, '--browser', '--key')).err).toContain('exclude each other');
});

test('the page keeps the contract of rooms', {
  tags: ['slow', 'matrix'],
  timeout: contractTimeoutMs,
}, async () => {
  const { page } = await openAsMember();
  const { userCode } = await used.ask('POST', '/api/sign-in/device', { name: 'laptop', version: '1' });
  const device = {
    ...{ name: 'device', path: '/device', shown: '#device-code' },
    async open(shown: Awaited<ReturnType<typeof openAsMember>>['page']) {
      await shown.getByLabel('Code').fill(userCode);
      await shown.keyboard.press('Enter');
      await shown.getByRole('button', { name: 'Allow' }).waitFor();
    },
  };
  expect(await roomTroubles(page, [device])).toEqual([]);
});
