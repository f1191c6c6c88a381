/**
 * Bodies of requests that nobody has verified yet: how many are read at once, for how long, and that others are not held up.
 * @module-tag slow
 */
import { describe, expect, test, vi } from 'vitest';
import { isolateMemory } from '../../../../worker/http/isolate-memory.ts';
import { HeldBodies, keysMax, strangersMax } from '../../../../worker/http/limits/held-bodies.ts';
import { createClient, insertKey, type Reply } from '../../../support/worker/api.ts';
import { insertHostedService } from '../../../support/worker/deployment-rows.ts';

const token = (await insertKey()).token;

/** A body that is announced and begins, and whose rest comes when it is released. */
function unfinished(size = 200_000) {
  let isRead = false;
  const { promise, resolve: release } = Promise.withResolvers<void>();
  const raw = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        isRead = true;
        controller.enqueue(new Uint8Array(10).fill(32));
        await promise;
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  return { raw, headers: { 'content-length': String(size) }, release, isRead: () => isRead };
}

/** An app of its own, and requests to it that are left open. */
function anApp(bodyMs = { strangers: 10_000, keys: 60_000 }) {
  const memory = isolateMemory({ signInGatherMs: 0, bodyMs });
  const call = createClient({ memory });
  const open = (path: string, address: string, more: { token?: string; signed?: boolean } = {}) => {
    const body = unfinished();
    const answered: Reply[] = [];
    const reply = call('POST', path, {
      raw: body.raw,
      token: more.token,
      headers: {
        ...body.headers,
        'cf-connecting-ip': address,
        ...(more.signed === false ? {} : { 'x-hub-signature-256': 'sha256=00' }),
      },
    }).then((one) => {
      answered.push(one);
      return one;
    });
    return { ...body, reply, answered };
  };
  return { call, open };
}
type Opened = ReturnType<ReturnType<typeof anApp>['open']>;

const count = (all: Opened[], status: number) =>
  all.flatMap(({ answered }) => answered).filter((one) => one.status === status).length;
const held = (all: Opened[]) =>
  all.filter(({ answered, isRead }) => isRead() && answered.length === 0).length;

const aHook = async () => {
  const { service } = await insertHostedService();
  const made = await anApp().call('POST', `/api/services/${service.id}/webhook`, { token });
  expect(made.status).toBe(200);
  return `/api/hooks/git/${service.id}`;
};

const routes: [string, () => Promise<string>][] = [
  ['a webhook', aHook],
  ['a sign-in at a provider', async () => '/api/sign-in/oidc'],
  ['the end of a sign-in at a provider', async () => '/api/sign-in/oidc/finish'],
  ['a sign-in by Access', async () => '/api/sign-in/access'],
  ['a sign-in by a passkey', async () => '/api/sign-in/passkey'],
  ['the end of a sign-in by a passkey', async () => '/api/sign-in/passkey/finish'],
  ['an exchange of an identity token', async () => '/api/keys/exchange'],
  ['a command line that asks for a sign-in', async () => '/api/sign-in/device'],
  ['a command line that waits', async () => '/api/sign-in/device/exchange'],
  ['an enrolment', async () => '/api/runner/enrol'],
];

describe.each(routes)('of 40 unfinished bodies for %s', (_, pathOf) => {
  test('16 of an address are held, the others are refused with Retry-After, and nothing else waits', async () => {
    const path = await pathOf();
    const { call, open } = anApp();
    const all = Array.from({ length: 40 }, () => open(path, '192.0.2.1'));
    await expect.poll(() => count(all, 429)).toBe(24);
    expect(held(all)).toBe(16);
    const refused = all.flatMap(({ answered }) => answered)[0];
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await call('GET', '/api/projects', { token })).status).toBe(200);
    const other = open(path, '192.0.2.2');
    await expect.poll(() => other.isRead()).toBe(true);
    for (const { release } of [...all, other]) release();
    await Promise.all([...all, other].map(({ reply }) => reply));
    const next = open(path, '192.0.2.1');
    await expect.poll(() => next.isRead()).toBe(true);
    next.release();
    await next.reply;
  });
});

test('64 unfinished bodies are held in all, whatever their addresses are', async () => {
  const path = await aHook();
  const { open } = anApp();
  const all = Array.from({ length: 80 }, (_, at) => open(path, `192.0.2.${at + 1}`));
  await expect.poll(() => count(all, 429)).toBe(16);
  expect(held(all)).toBe(64);
  for (const { release } of all) release();
  await Promise.all(all.map(({ reply }) => reply));
});

test('strangers who hold the places of webhooks hold up neither sign-ins nor keys', async () => {
  const path = await aHook();
  const { call, open } = anApp();
  const all = Array.from({ length: 64 }, (_, at) => open(path, `192.0.2.${at + 1}`));
  await expect.poll(() => held(all)).toBe(64);
  const signIn = open('/api/sign-in/oidc', '192.0.2.1');
  await expect.poll(() => signIn.isRead()).toBe(true);
  expect((await call('POST', '/api/projects', { token, body: { name: 'Not held up' } })).status).toBe(200);
  for (const { release } of [...all, signIn]) release();
  await Promise.all([...all, signIn].map(({ reply }) => reply));
});

test.each([
  ['an absent webhook', '/api/hooks/git/svc_absent0000000000', true],
  ['an absent GitHub App', '/api/hooks/github/gha_absent0000000000', true],
  ['a webhook without a signature', '', false],
])(
  'nothing of a body for %s is read, and the answer is that of a wrong signature',
  async (_, path, signed) => {
    const { open, call } = anApp();
    const hook = await aHook();
    const one = open(path || hook, '192.0.2.1', { signed });
    const { status, body } = await one.reply;
    expect([status, one.isRead()]).toEqual([401, false]);
    const wrong = await call('POST', (path || hook).includes('github') ? path : hook, {
      raw: '{}',
      headers: { 'x-hub-signature-256': 'sha256=00' },
    });
    expect(body).toEqual({ ...wrong.body, requestId: body.requestId });
  },
);

test.each<[string, () => Promise<string>, boolean]>([
  ...routes.map(([name, path]) => [name, path, false] as [string, () => Promise<string>, boolean]),
  ['a key', async () => '/api/projects', true],
])(
  'a body for %s that does not arrive in time is refused with 408, and its place is free',
  async (_, pathOf, ofKey) => {
    const path = await pathOf();
    const { open } = anApp({ strangers: 30, keys: 30 });
    for (let round = 0; round < 20; round++) {
      const one = open(path, '192.0.2.1', ofKey ? { token } : {});
      const { status, body } = await one.reply;
      expect([status, body.code]).toEqual([408, 'request_timeout']);
      one.release();
    }
  },
);

test('the bodies of one key have at most 16 MB, in any number, and leave room for other keys', () => {
  const bodies = new HeldBodies(keysMax);
  for (let n = 0; n < 64; n++) bodies.enter('key_a', 256 * 1024, 60_000);
  expect(() => bodies.enter('key_a', 1, 60_000)).toThrow('same moment');
  const leave = bodies.enter('key_b', 256 * 1024, 60_000);
  leave();
  for (let n = 0; n < 500; n++) bodies.enter('key_c', 1_000, 60_000);
});

test('the bodies of all strangers have at most 64 MB', () => {
  const bodies = new HeldBodies(strangersMax);
  const fiveMb = 5 * 1024 * 1024;
  for (let n = 0; n < 12; n++) bodies.enter(`address ${n}`, fiveMb, 10_000);
  expect(() => bodies.enter('another', fiveMb, 10_000)).toThrow('same moment');
});

test('the place of a body whose client has left, which nobody is told here, is free when its time is over', () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const bodies = new HeldBodies(strangersMax);
  for (let n = 0; n < 16; n++) bodies.enter('an address', 1_000, 10_000);
  expect(() => bodies.enter('an address', 1_000, 10_000)).toThrow('same moment');
  vi.setSystemTime(Date.now() + 15_000);
  bodies.enter('an address', 1_000, 10_000);
  vi.useRealTimers();
});
