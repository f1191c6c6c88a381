import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { failureFile } from '../../../../runner/proxy/certificates/certificate-failures.ts';
import type { StoredCertificate } from '../../../../runner/proxy/certificates/certificate-store.ts';
import { Certificates, orderPauses } from '../../../../runner/proxy/certificates/certificates.ts';
import type { IssuerFailure } from '../../../../runner/proxy/certificates/issuer-failure.ts';
import { orderBudget, orderLimits } from '../../../../runner/proxy/certificates/order-budget.ts';
import { nameFiles } from '../../../../runner/proxy/name-files.ts';
import { isLocalName } from '../../../../runner/proxy/route-names.ts';
import { manualClock } from '../../../support/runner/manual-clock.ts';
import { temporaryDirectory } from '../../../support/runner/temporary-directory.ts';

const day = 24 * 3_600_000;
const lookMs = 60_000;
const refused: IssuerFailure = { kind: 'refused', sentence: 'The CA refused: no.' };

/** A host whose CA the test plays: each order waits for the test's word. */
function startHost(directory = temporaryDirectory(), clock = manualClock()) {
  const stored = new Map<string, StoredCertificate>();
  const missing = new Set<string>();
  const orders: { name: string; end: (failure?: IssuerFailure) => void }[] = [];
  const markers = join(directory, 'https-names');
  const parts = {
    store: { of: (name: string) => stored.get(name) },
    isFree: isLocalName,
    isMissing: (name: string) => missing.has(name),
    order: (name: string) =>
      new Promise<IssuerFailure | undefined>((resolve) => orders.push({ name, end: resolve })),
    failures: failureFile(join(directory, 'failures.json')),
    budget: orderBudget(join(directory, 'orders.json'), clock),
    httpsNames: nameFiles(markers),
    clock,
    random: () => 0.5,
  };
  const certificates = new Certificates(parts, lookMs);
  onTestFinished(() => certificates.stop());
  const changes: string[] = [];
  certificates.onChange((name) => changes.push(`${name} ${certificates.stateOf(name).state}`));
  return {
    certificates,
    clock,
    changes,
    directory,
    stored,
    missing,
    ordered: () => orders.map(({ name }) => name),
    httpsNames: () => readdirSync(markers).sort(),
    issue(name: string, days = 10) {
      stored.set(name, { notBefore: clock.now(), expiresAt: clock.now() + days * day });
    },
    async end(index: number, failure?: IssuerFailure) {
      orders[index]?.end(failure);
      await clock.advance(0);
    },
  };
}

test('a name that may have a certificate is ordered at once, reported as pending, then as issued, and only then served over HTTPS alone', async () => {
  const host = startHost();
  host.certificates.want(['a.example', 'a.localhost', 'bare']);
  expect(host.ordered()).toEqual(['a.example']);
  expect(host.certificates.stateOf('a.example')).toMatchObject({ state: 'pending', expiresAt: null });
  expect(host.httpsNames()).toEqual([]);
  host.issue('a.example');
  await host.end(0);
  expect(host.certificates.stateOf('a.example')).toEqual({
    state: 'issued',
    expiresAt: host.clock.now() + 10 * day,
    detail: '',
  });
  expect(host.changes).toEqual(['a.example pending', 'a.example issued']);
  expect(host.httpsNames()).toEqual(['a.example']);
  host.certificates.want(['b.example']);
  expect(host.certificates.stateOf('a.example').state).toBe('none');
  expect(host.httpsNames()).toEqual([]);
});

test('a name that Caddy certifies itself has a state while its owner gave a certificate; it is never ordered nor redirected', async () => {
  const host = startHost();
  const { certificates, clock, stored } = host;
  const certificate = { isOwn: true, notBefore: clock.now(), expiresAt: clock.now() + day } as const;
  stored.set('shop.localhost', certificate);
  certificates.want(['shop.localhost', 'other.localhost']);
  expect(certificates.stateOf('shop.localhost')).toEqual({
    ...{ state: 'issued', expiresAt: certificate.expiresAt, detail: '' },
  });
  expect(host.changes).toEqual(['shop.localhost issued']);
  expect(certificates.stateOf('other.localhost').state).toBe('none');
  await clock.advance(2 * day);
  expect(certificates.stateOf('shop.localhost')).toMatchObject({
    state: 'failed',
    detail: expect.stringContaining('replace it'),
  });
  stored.delete('shop.localhost');
  host.missing.add('shop.localhost');
  certificates.want(['shop.localhost']);
  expect(certificates.stateOf('shop.localhost')).toMatchObject({
    state: 'none',
    detail: expect.stringContaining('give it again'),
  });
  host.missing.clear();
  certificates.want(['shop.localhost']);
  expect(certificates.stateOf('shop.localhost')).toEqual({ state: 'none', expiresAt: null, detail: '' });
  expect([host.ordered(), host.httpsNames()]).toEqual([[], []]);
});

test('a name whose given certificate is not on this host gets an automatic one, and says so until it is given again', async () => {
  const host = startHost();
  const told =
    'The certificate that was given for it is not on this host: give it again. Until then an automatic one is used.';
  host.missing.add('a.example');
  host.certificates.want(['a.example', 'b.example']);
  expect(host.ordered()).toEqual(['a.example', 'b.example']);
  const detail = () => host.certificates.stateOf('a.example').detail;
  expect(detail()).toBe(`${told} A certificate was requested from the CA.`);
  await host.end(0, refused);
  expect(detail()).toMatch(/not on this host.* The CA refused: no\. The next try is after 20/);
  host.issue('a.example');
  await host.clock.advance(lookMs);
  expect(host.certificates.stateOf('a.example')).toMatchObject({ state: 'issued', detail: told });
  expect(host.certificates.stateOf('b.example').detail).not.toContain('given');
  host.missing.clear();
  host.certificates.want(['a.example']);
  expect(host.certificates.stateOf('a.example').detail).toBe('');
});

test('a name that may have a certificate is not asked for when it has one; it is when three tenths of its life are left', {
  tags: 'slow',
}, async () => {
  const host = startHost();
  host.issue('a.example');
  host.certificates.want(['a.example']);
  expect(host.certificates.stateOf('a.example').state).toBe('issued');
  await host.clock.advance(6.9 * day);
  expect(host.ordered()).toEqual([]);
  await host.clock.advance(0.1 * day + lookMs);
  expect(host.ordered()).toEqual(['a.example']);
  host.issue('a.example');
  await host.end(0);
  await host.clock.advance(lookMs);
  expect(host.ordered()).toEqual(['a.example']);
});

test('a name that may have a certificate whose renewal fails stays issued and reports it, until it has ended', {
  tags: 'slow',
}, async () => {
  const host = startHost();
  host.issue('a.example');
  host.certificates.want(['a.example']);
  await host.clock.advance(7 * day + lookMs);
  await host.end(0, refused);
  expect(host.certificates.stateOf('a.example')).toMatchObject({
    state: 'issued',
    detail: expect.stringMatching(/^It could not be renewed\. The CA refused: no\. The next try is after 20/),
  });
  await host.clock.advance(3 * day);
  expect(host.certificates.stateOf('a.example').state).toBe('failed');
  expect(host.httpsNames()).toEqual([]);
});

test('after a failure the CA is asked less and less often: at most ten orders on the first day', async () => {
  const host = startHost();
  host.certificates.want(['a.example']);
  const times: number[] = [];
  const from = host.clock.now();
  for (let index = 0; host.clock.now() < from + day; index += 1) {
    while (host.ordered().length <= index && host.clock.now() < from + day) await host.clock.advance(lookMs);
    if (host.ordered().length > index) times.push(host.clock.now() - from);
    await host.end(index, refused);
  }
  const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  expect(pauses[0]).toBeGreaterThanOrEqual(orderPauses.refused.minMs);
  expect(pauses.toSorted((a, b) => a - b)).toEqual(pauses);
  expect(times.length).toBeLessThanOrEqual(10);
  console.info(`orders after ${times.map((ms) => Math.round(ms / 60_000)).join(', ')} min`);
});

test('the pause outlives the runner, and ends when the name is removed and added again', async () => {
  const first = startHost();
  first.certificates.want(['a.example']);
  await first.end(0, refused);
  const { detail } = first.certificates.stateOf('a.example');
  first.certificates.stop();
  const second = startHost(first.directory, first.clock);
  second.certificates.want(['a.example']);
  expect(second.certificates.stateOf('a.example')).toEqual({ state: 'failed', expiresAt: null, detail });
  await second.clock.advance(orderPauses.refused.minMs - lookMs);
  expect(second.ordered()).toEqual([]);
  second.certificates.want([]);
  second.certificates.want(['a.example']);
  expect(second.ordered()).toEqual(['a.example']);
});

test('a success that Caddy had by itself counts, and the failure is forgotten', async () => {
  const host = startHost();
  host.certificates.want(['a.example']);
  await host.end(0, refused);
  host.issue('a.example');
  await host.clock.advance(lookMs);
  expect(host.certificates.stateOf('a.example')).toMatchObject({ state: 'issued', detail: '' });
  expect(failureFile(join(host.directory, 'failures.json')).read()).toEqual({});
});

test('other names are ordered all the same, a few at once', async () => {
  const host = startHost();
  const names = Array.from({ length: 20 }, (_, index) => `n${index}.example`);
  host.certificates.want(names);
  expect(host.ordered()).toHaveLength(8);
  await host.end(0, refused);
  expect(host.ordered()).toHaveLength(9);
  expect(host.ordered().at(-1)).toBe('n8.example');
});

test('a clock that is set back does not make the pause endless', async () => {
  const host = startHost();
  host.certificates.want(['a.example']);
  await host.end(0, refused);
  // Longer than any pause is.
  host.clock.setBack(2 * day);
  await host.clock.advance(lookMs);
  expect(host.ordered()).toHaveLength(2);
});

test('a damaged record of failures costs one more order, not the start', () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'failures.json'), '{"a.example":');
  const host = startHost(directory);
  host.certificates.want(['a.example']);
  expect(host.ordered()).toEqual(['a.example']);
});

const limited = (tenantId: string, count: number, zone = (index: number) => `${tenantId}-${index}.com`) =>
  Array.from({ length: count }, (_, index) => ({
    hostname: `www.${zone(index)}`,
    tenantId,
    domain: zone(index),
  }));
const wantAll = (
  host: ReturnType<typeof startHost>,
  names: ReturnType<typeof limited>,
  free: string[] = [],
) => host.certificates.want([...names.map(({ hostname }) => hostname), ...free], names);
/** Ends all orders well, until no new one starts. */
async function endAll(host: ReturnType<typeof startHost>): Promise<void> {
  for (let index = 0; index < host.ordered().length; index++) {
    host.issue(host.ordered()[index] ?? '', 90);
    await host.end(index);
  }
}

test('a tenant orders only its share of a day; its further names show why they wait, and names of other tenants do not wait', {
  tags: 'slow',
}, async () => {
  const host = startHost();
  const { max } = orderLimits.tenant;
  const [hers, his] = [limited('alice', max + 2), limited('bob', 1)];
  wantAll(host, [...hers, ...his], ['operator.example']);
  await endAll(host);
  const states = hers.map(({ hostname }) => host.certificates.stateOf(hostname));
  expect(states.filter(({ state }) => state === 'issued')).toHaveLength(max);
  expect(states.at(-1)).toMatchObject({
    state: 'pending',
    detail: expect.stringContaining(`the limit of ${max} orders of a tenant per host and day is reached`),
  });
  expect(host.certificates.stateOf(his[0]?.hostname ?? '').state).toBe('issued');
  expect(host.certificates.stateOf('operator.example').state).toBe('issued');
  const again = startHost(host.directory, host.clock);
  wantAll(
    again,
    limited('alice', 1, () => 'late.com'),
  );
  expect(again.ordered(), 'a restart does not forget').toEqual([]);
  await host.clock.advance(day + lookMs);
  await endAll(host);
  expect(host.certificates.stateOf(hers.at(-1)?.hostname ?? '').state).toBe('issued');
});

test('the names of one registered domain wait for a week, and a renewal never waits', async () => {
  const host = startHost();
  const { max } = orderLimits.domain;
  const names = limited('alice', max + 1, () => 'one.com').map((name, index) => ({
    ...name,
    hostname: `n${index}.one.com`,
    tenantId: `tenant-${index % 2}`,
  }));
  wantAll(host, names);
  await endAll(host);
  const last = names.at(-1)?.hostname ?? '';
  expect(host.certificates.stateOf(last).detail).toContain(`${max} orders per registered domain and week`);
  const first = names[0]?.hostname ?? '';
  host.stored.set(first, { notBefore: 0, expiresAt: host.clock.now() + 1 });
  const before = host.ordered().length;
  await host.clock.advance(lookMs);
  expect(host.ordered().slice(before)).toEqual([first]);
});
