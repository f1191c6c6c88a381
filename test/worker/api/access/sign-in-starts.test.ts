/** Strangers begin sign-ins: how often a provider is asked for it, and how many may at once. */
import { beforeEach, expect, test } from 'vitest';
import { createIdentityServers } from '../../../../worker/gateways/identity/identity-servers.ts';
import { createKeySets } from '../../../../worker/gateways/identity/key-sets.ts';
import { createKnownMetadata } from '../../../../worker/gateways/identity/known-metadata.ts';
import { isolateMemory } from '../../../../worker/http/isolate-memory.ts';
import { createClient, deps } from '../../../support/worker/api.ts';
import { IdentityServer } from '../../../support/worker/servers/identity-server.ts';
import { aTenant, issuer, minuteMs, startProviders } from '../../../support/worker/sign-in.ts';

const { connect } = await startProviders();
const metadataPath = '/.well-known/openid-configuration';
const clock = { now: Date.now() };
const now = () => clock.now;
/** A test begins in a minute of its own. */
beforeEach(() => {
  clock.now = Math.ceil((clock.now + 1) / minuteMs) * minuteMs + 20 * minuteMs;
});

/** An instance with nothing in memory, a provider that it knows, and a gate in front of the provider. */
async function anInstance({ waitMs = 60_000 } = {}) {
  const server = await IdentityServer.start(issuer, { id: 'longshore', secret: 'hunter2' }, now);
  const gate = { answers: Promise.resolve() };
  const fetch = async (url: string, init?: RequestInit) => {
    const answer = server.fetch(url, init);
    await gate.answers;
    return answer;
  };
  const metadata = createKnownMetadata({ keepMs: 600_000, keepFailureMs: 5_000, waitMs, now });
  const identityServers = createIdentityServers({
    ...{ fetch, keySets: createKeySets(0), metadata, timeLimitMs: 60_000, now },
  });
  const memory = isolateMemory({ signInGatherMs: 0 });
  const call = createClient({ memory, dependenciesOf: () => ({ ...deps, now, identityServers }) });
  const providerId = await connect({ tenantId: await aTenant() });
  const start = (address: string) =>
    call('POST', '/api/sign-in/oidc', { body: { providerId }, headers: { 'cf-connecting-ip': address } });
  const asked = () => server.requests.filter((path) => path.endsWith(metadataPath)).length;
  return { server, gate, start, asked };
}

test('100 starts ask the provider for its metadata once in 10 minutes', async () => {
  const { start, asked } = await anInstance();
  for (let n = 0; n < 100; n++) expect((await start(`192.0.2.${n}`)).status).toBe(200);
  expect(asked()).toBe(1);
  clock.now += 10 * minuteMs - 1;
  expect((await start('192.0.2.1')).status).toBe(200);
  expect(asked()).toBe(1);
  clock.now += 1;
  expect((await start('192.0.2.1')).status).toBe(200);
  expect(asked()).toBe(2);
});

test('starts that wait for a slow provider share one request to it, at most 20 are open, and the others get 429 with Retry-After', async () => {
  const { gate, start, asked } = await anInstance();
  const { promise, resolve } = Promise.withResolvers<void>();
  gate.answers = promise;
  const replies: number[] = [];
  const all = Array.from({ length: 50 }, async (_, n) => {
    const reply = await start(`192.0.2.${n}`);
    replies.push(reply.status);
    return reply;
  });
  await expect.poll(() => replies.filter((status) => status === 429).length).toBe(30);
  await expect.poll(asked).toBe(1);
  resolve();
  const ended = await Promise.all(all);
  expect(asked()).toBe(1);
  expect(ended.filter(({ status }) => status === 200)).toHaveLength(20);
  for (const { status, headers } of ended)
    if (status === 429) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await start('192.0.2.99')).status).toBe(200);
});

test('the 31st start of an address in a minute is refused (429), those of others and of the next minute are not', async () => {
  const { start, asked } = await anInstance();
  for (let n = 0; n < 30; n++) expect((await start('198.51.100.1')).status).toBe(200);
  const refused = await start('198.51.100.1');
  expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([
    ...[429, 'rate_limited', '60'],
  ]);
  expect((await start('198.51.100.2')).status).toBe(200);
  clock.now += minuteMs;
  expect((await start('198.51.100.1')).status).toBe(200);
  expect(asked()).toBe(1);
});

test('a provider that fails is asked again after 5 seconds, and not for each start before', async () => {
  const { server, start, asked } = await anInstance();
  server.answers.set(metadataPath, () => new Response(null, { status: 503 }));
  for (let n = 0; n < 5; n++) expect((await start('198.51.100.1')).body.code).toBe('provider_refused');
  expect(asked()).toBe(1);
  server.answers.clear();
  clock.now += 5_000;
  expect((await start('198.51.100.1')).status).toBe(200);
  expect(asked()).toBe(2);
});

test('a start whose request for the metadata never ends holds up neither itself nor the next ones for ever', async () => {
  const { gate, start } = await anInstance({ waitMs: 50 });
  gate.answers = new Promise(() => undefined);
  expect((await start('198.51.100.1')).body.code).toBe('provider_refused');
  gate.answers = Promise.resolve();
  clock.now += 50;
  expect((await start('198.51.100.1')).status).toBe(200);
});
