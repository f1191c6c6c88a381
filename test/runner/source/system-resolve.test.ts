/** Names against a real name server that answers as the world's do. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { guardedAddress } from '../../../runner/source/address-guard.ts';
import { resolveWith } from '../../../runner/source/system-resolve.ts';
import { type LateDns, openLateDns } from '../../support/real-world/late-dns.ts';

let dns: LateDns;
beforeAll(async () => {
  dns = await openLateDns();
});
afterAll(() => dns?.close());

const rules = { allowPrivate: true, port: 443 };
const asked = (name: string) => resolveWith(name, [dns.server]);
const guarded = (name: string) => guardedAddress(name, { ...rules, resolve: asked });

test.concurrent.for([
  'prompt.example',
  'Prompt.Example.',
  'late3.example',
  'late8.example',
  'broken-first.example',
  'lost-first.example',
  'half-silent.example',
  'truncated.example',
])('%s is found, however its server answers', { tags: 'slow' }, async (name) => {
  expect(await guarded(name)).toBe(dns.addresses.four);
});

test.concurrent.for(['nobody.example', 'nobody.com', 'late-nobody.example'])(
  '%s is said to be missing, because its server says so',
  { tags: 'slow' },
  async (name) => {
    await expect(guarded(name)).rejects.toThrow(`The host ${name} was not found.`);
  },
);

test.concurrent.for(['broken.example', 'silent.example'])(
  '%s is not said to be missing, because nobody says so',
  { tags: 'slow' },
  async (name) => {
    await expect(guarded(name)).rejects.toMatchObject({
      code: 'source_failed',
      message: expect.stringContaining(`The name servers of this host gave no answer for ${name} (`),
    });
  },
);

test.concurrent('names whose servers are silent hold up no other name', { tags: 'slow' }, async () => {
  const over = new AbortController();
  const silent = Array.from({ length: 20 }, (_, n) =>
    guarded(`silent.n${n}.example`).catch(() => over.abort()),
  );
  expect(await guarded('prompt.example')).toBe(dns.addresses.four);
  expect(over.signal.aborted).toBe(false);
  await Promise.all(silent);
});

test.concurrent('a name server that is down is passed over for the next one', async () => {
  expect(await resolveWith('prompt.example', ['127.0.0.1:1', dns.server])).toEqual([dns.addresses.four]);
});

test.concurrent('all addresses of a name are found, of both kinds', async () => {
  expect((await asked('both.example')).toSorted()).toEqual([dns.addresses.six, dns.addresses.four]);
});

test.concurrent('a name that the machine itself knows is not asked of name servers', async () => {
  expect(await resolveWith('localhost', ['127.0.0.1:1'])).toContain('127.0.0.1');
});

test.concurrent('a machine without a name server resolves names as far as it knows them', async () => {
  expect(await resolveWith('0x7f.1', ['127.0.0.1:1'])).toEqual(['127.0.0.1']);
});

test.concurrent('a name that can never exist is missing, also without a name server', async () => {
  expect(await resolveWith('nobody.invalid', ['127.0.0.1:1'])).toEqual([]);
});
