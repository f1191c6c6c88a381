/** The schedule of looks, by a clock that the test moves. */
import { expect, test } from 'vitest';
import type { CertificateState, DomainState } from '../../../../protocol/domain-state.ts';
import { checkIntervalMs, DomainWatch } from '../../../../runner/host/domains/domain-watch.ts';
import type { DnsAnswer } from '../../../../runner/host/domains/look-up.ts';
import type { KnownNames } from '../../../../runner/proxy/traffic.ts';
import { manualClock } from '../../../support/runner/manual-clock.ts';

const ip = '203.0.113.7';
const here: DnsAnswer = { found: 'addresses', addresses: [ip] };
const nothing: DnsAnswer = { found: 'nothing' };
const failure: DnsAnswer = { found: 'failure', reason: 'ETIMEOUT' };
const minute = 60_000;

const known = (names: [string, boolean][], revision = 1, serviceId = 'svc_a'): KnownNames => ({
  serviceId,
  revision,
  publicIp: null,
  names: [
    { hostname: `${serviceId.replace('_', '-')}.localhost`, isCustom: false, isActive: true },
    ...names.map(([hostname, isActive]) => ({ hostname, isCustom: true, isActive })),
  ],
});

function stage() {
  const clock = manualClock();
  const looks: string[] = [];
  const reported: DomainState[] = [];
  const dns = new Map<string, DnsAnswer | Promise<DnsAnswer>>();
  const certificates = new Map<string, CertificateState>();
  let names: KnownNames[] = [];
  let random = 0.5;
  const watch = new DomainWatch({
    traffic: { names: () => names },
    certificates: {
      stateOf: (hostname) => certificates.get(hostname) ?? { state: 'none', expiresAt: null, detail: '' },
    },
    lookUp: async (hostname) => {
      looks.push(hostname);
      return dns.get(hostname) ?? nothing;
    },
    ownAddresses: async (publicIp) => ({ main: publicIp ?? ip, all: new Set([publicIp ?? ip]) }),
    clock,
    random: () => random,
  });
  watch.onChange((states) => reported.push(...states));
  return {
    watch,
    clock,
    dns,
    certificates,
    looks,
    reported,
    words: () => reported.map(({ hostname, dns: word }) => `${hostname} ${word}`),
    setRandom: (value: number) => {
      random = value;
    },
    setKnown(...all: KnownNames[]) {
      names = all;
    },
    async know(...all: KnownNames[]) {
      names = all;
      watch.namesChanged();
      await clock.advance(0);
    },
    /** @returns how often names were looked at meanwhile */
    async pass(ms: number) {
      const before = looks.length;
      await clock.advance(ms);
      return looks.length - before;
    },
  };
}

test('a custom name is checked as soon as it is known, and reported', async () => {
  const { know, looks, reported } = stage();
  await know(known([['a.example', false]]));
  expect(looks).toEqual(['a.example']);
  expect(reported).toEqual([
    {
      hostname: 'a.example',
      dns: 'elsewhere',
      detail: `a.example has no address in DNS yet: add an A record with ${ip}.`,
      certificate: { state: 'none', expiresAt: null, detail: '' },
    },
  ]);
});

test('a custom name that is pending is checked every 30 s for ten minutes, then every five, and reported only when it changes', async () => {
  const { know, pass, words, dns } = stage();
  await know(known([['a.example', false]]));
  expect(await pass(10 * minute - 1)).toBe(19);
  await pass(minute);
  expect(await pass(60 * minute)).toBe(12);
  expect(words()).toEqual(['a.example elsewhere']);
  dns.set('a.example', here);
  await pass(5 * minute);
  expect(words()).toEqual(['a.example elsewhere', 'a.example here']);
});

test('a custom name that is active is checked every hour, and sooner while there is doubt', async () => {
  const { know, pass, words, dns } = stage();
  dns.set('a.example', here);
  await know(known([['a.example', true]]));
  expect(await pass(checkIntervalMs.active * 3)).toBe(3);
  dns.set('a.example', nothing);
  expect(await pass(checkIntervalMs.active + 2 * checkIntervalMs.doubted - 1)).toBe(2);
  expect(words()).toEqual(['a.example here']);
  await pass(1);
  expect(words()).toEqual(['a.example here', 'a.example elsewhere']);
});

test('a custom name keeps its place while its name servers are silent, and is checked more often', async () => {
  const { know, pass, words, dns } = stage();
  dns.set('a.example', here);
  await know(known([['a.example', true]]));
  dns.set('a.example', failure);
  await pass(checkIntervalMs.active);
  expect(await pass(60 * minute)).toBe(12);
  expect(words()).toEqual(['a.example here']);
});

test('a custom name that is reported active starts counting again, whatever was seen of it', async () => {
  const { know, words, pass } = stage();
  await know(known([['a.example', false]]));
  await know(known([['a.example', true]], 2));
  await pass(2 * checkIntervalMs.doubted - 1);
  expect(words()).toEqual(['a.example elsewhere']);
});

test('a removed custom name is not checked any more, and a pending check is ignored', async () => {
  const { know, dns, looks, reported, clock } = stage();
  const gate = Promise.withResolvers<DnsAnswer>();
  dns.set('a.example', gate.promise);
  await know(known([['a.example', false]]));
  await know(known([]));
  gate.resolve(here);
  await clock.advance(60 * minute);
  expect([looks, reported, clock.waiting]).toEqual([['a.example'], [], []]);
});

test('a custom name that moves to another service is checked again', async () => {
  const { know, looks } = stage();
  await know(known([['a.example', false]]));
  await know(known([]), known([['a.example', false]], 1, 'svc_b'));
  expect(looks).toHaveLength(2);
});

test('a custom name is checked against the operator’s address as soon as there is one', async () => {
  const { know, words, dns } = stage();
  dns.set('a.example', { found: 'addresses', addresses: ['198.51.100.4'] });
  await know(known([['a.example', false]]));
  await know({ ...known([['a.example', false]], 2), publicIp: '198.51.100.4' });
  expect(words()).toEqual(['a.example elsewhere', 'a.example here']);
});

test('a custom name below localhost is active without a check', async () => {
  const { know, looks, words } = stage();
  await know(known([['a.localhost', true]]));
  expect([looks, words()]).toEqual([[], ['a.localhost here']]);
});

test('names of the platform are not checked', async () => {
  const { know, looks, pass } = stage();
  await know(known([]));
  expect([looks, await pass(120 * minute)]).toEqual([[], 0]);
});

test('a requested check reports its result even if it is known, for this service alone', async () => {
  const { know, watch, clock, words } = stage();
  await know(known([['a.example', false]]), known([['b.example', false]], 1, 'svc_b'));
  watch.checkSoon('svc_a');
  await clock.advance(0);
  expect(words()).toEqual(['a.example elsewhere', 'b.example elsewhere', 'a.example elsewhere']);
});

test('a request during a check starts no second check, and is answered', async () => {
  const { know, watch, clock, looks, words, dns } = stage();
  dns.set('a.example', failure);
  await know(known([['a.example', false]]));
  const gate = Promise.withResolvers<DnsAnswer>();
  dns.set('a.example', gate.promise);
  await clock.advance(30_000);
  watch.checkSoon('svc_a');
  gate.resolve(failure);
  await clock.advance(0);
  expect([looks.length, words()]).toEqual([2, ['a.example unknown', 'a.example unknown']]);
});

test('a starting runner checks its names within seconds, and not all of them at once', async () => {
  const { watch, clock, looks, setKnown, setRandom } = stage();
  setKnown(known([['a.example', true]]));
  setRandom(0.25);
  watch.start();
  await clock.advance(2_499);
  expect(looks).toEqual([]);
  await clock.advance(1);
  expect(looks).toEqual(['a.example']);
});

test('checks are spread by a tenth in both directions', async () => {
  for (const [random, interval] of [
    [0, 27_000],
    [0.5, 30_000],
    [0.999_999, 33_000],
  ] as const) {
    const { know, clock, setRandom } = stage();
    setRandom(random);
    await know(known([['a.example', false]]));
    expect(Math.round(clock.waiting[0] ?? 0)).toBe(interval);
  }
});

test('the state of a certificate is reported when it changes, for names that were seen', async () => {
  const { know, watch, certificates, reported, dns } = stage();
  dns.set('a.example', here);
  await know(known([['a.example', true]]));
  certificates.set('a.example', { state: 'issued', expiresAt: 5, detail: '' });
  watch.certificateChanged('a.example');
  watch.certificateChanged('other.example');
  expect(reported.map(({ certificate }) => certificate.state)).toEqual(['none', 'issued']);
  expect(watch.states()).toEqual([reported[1]]);
});

test('a stopped watch leaves no timer', async () => {
  const { know, watch, clock } = stage();
  await know(known([['a.example', false]]));
  watch.stop();
  watch.namesChanged();
  await clock.advance(60 * minute);
  expect([clock.waiting, watch.states()]).toEqual([[], []]);
});
