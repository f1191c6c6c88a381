/** The host's CA and what it issues, without a database. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createDatabaseTls } from '../../../runner/database-tls/database-tls.ts';
import { hasNames, isTrusted, renewalDueAt } from '../../../runner/database-tls/offered-tls.ts';
import { type ManualClock, manualClock } from '../../support/runner/manual-clock.ts';
import { temporaryDirectory } from '../../support/runner/temporary-directory.ts';

const dayMs = 86_400_000;
const hourMs = 3_600_000;

const tlsIn = (dataDirectory: string, clock: ManualClock, address: string | null = '192.0.2.7') =>
  createDatabaseTls({ dataDirectory, runnerId: 'run_a', clock, publicAddress: async () => address });

const fileIn = (directory: string) => join(directory, 'database-tls', 'ca.pem');

async function issued(names: string[], clock = manualClock()) {
  const tls = tlsIn(temporaryDirectory(), clock);
  const { key, certificate } = await tls.issue('svc_a', names);
  return { tls, key, certificate: new X509Certificate(certificate) };
}

test('the CA is made at first use, for this user alone, and once: also when two ask at the same time', {
  tags: 'slow',
}, async () => {
  const directory = temporaryDirectory();
  const tls = tlsIn(directory, manualClock());
  expect(tls.authority()).toBeNull();
  const both = await Promise.all([tls.issue('svc_a', ['a']), tls.issue('svc_b', ['b'])]);
  const authority = tls.authority();
  for (const { certificate } of both)
    expect(new X509Certificate(certificate).verify(authority?.publicKey ?? fail())).toBe(true);
  expect(statSync(fileIn(directory)).mode & 0o777).toBe(0o600);
});

test('the CA is the same after a restart, names its runner, signs certificates alone, and lives 20 years', async () => {
  const directory = temporaryDirectory();
  const clock = manualClock();
  await tlsIn(directory, clock).issue('svc_a', ['a']);
  const text = readFileSync(fileIn(directory), 'utf8');
  const again = tlsIn(directory, clock);
  const { certificate } = await again.issue('svc_a', ['a']);
  expect(readFileSync(fileIn(directory), 'utf8')).toBe(text);
  const authority = again.authority() ?? fail();
  expect(new X509Certificate(certificate).checkIssued(authority)).toBe(true);
  expect([authority.subject, authority.ca]).toEqual(['CN=Longshore database CA run_a', true]);
  expect(Math.floor((authority.validToDate.getTime() - clock.now()) / dayMs)).toBe(7300);
});

test.each([
  ['is no PEM', () => 'nonsense'],
  ['is cut', (text: string) => text.slice(0, 100)],
  ['has the key of another', (text: string, other: string) => `${keyOf(other)}${certificateOf(text)}`],
])('a CA whose file %s is refused with a way out, and never replaced', async (_, damage) => {
  const directory = temporaryDirectory();
  const other = temporaryDirectory();
  for (const one of [directory, other]) await tlsIn(one, manualClock()).issue('svc_a', ['a']);
  const [text, stranger] = [directory, other].map((one) => readFileSync(fileIn(one), 'utf8'));
  const damaged = damage(text ?? '', stranger ?? '');
  writeFileSync(fileIn(directory), damaged);
  await expect(tlsIn(directory, manualClock()).issue('svc_a', ['a'])).rejects.toMatchObject({
    code: 'keys_unusable',
    message: expect.stringMatching(/ca\.pem can't be used .*restore it from a backup/),
  });
  expect(readFileSync(fileIn(directory), 'utf8')).toBe(damaged);
});

test('a certificate is for its key, for servers alone, 90 days, and good for a clock that is behind by less than an hour', async () => {
  const clock = manualClock();
  const { key, certificate } = await issued(['db'], clock);
  expect(certificate.checkPrivateKey(createPrivateKey(key))).toBe(true);
  expect([certificate.ca, certificate.keyUsage]).toEqual([false, ['1.3.6.1.5.5.7.3.1']]);
  const days = (certificate.validToDate.getTime() - clock.now()) / dayMs;
  expect(Math.round(days)).toBe(90);
  expect(clock.now() - certificate.validFromDate.getTime()).toBeGreaterThanOrEqual(hourMs);
});

test('a certificate has exactly the names that it was asked for', async () => {
  const names = ['db', 'db.example.test', 'localhost', '127.0.0.1', '2001:db8::1'];
  const { certificate } = await issued(names);
  expect(hasNames(certificate, names)).toBe(true);
  expect(hasNames(certificate, names.slice(1))).toBe(false);
  expect(hasNames(certificate, [...names, 'more'])).toBe(false);
  expect(hasNames(certificate, [...names.slice(1), 'other'])).toBe(false);
});

test('a second certificate for the same key has new names, a new serial number and the same CA', async () => {
  const { tls, certificate } = await issued(['db']);
  const next = new X509Certificate(await tls.reissue('svc_a', ['db', 'more'], certificate.publicKey));
  expect(next.publicKey.equals(certificate.publicKey)).toBe(true);
  expect(next.serialNumber).not.toBe(certificate.serialNumber);
  expect(hasNames(next, ['db', 'more'])).toBe(true);
  expect(next.verify(tls.authority()?.publicKey ?? fail())).toBe(true);
});

test('a certificate is due after two thirds of its life, trusted to its end, and by its own CA alone', async () => {
  const clock = manualClock();
  const { tls, certificate } = await issued(['db'], clock);
  const authority = tls.authority();
  const dueInDays = (renewalDueAt(certificate) - clock.now()) / dayMs;
  expect(Math.round(dueInDays)).toBe(60);
  const at = (days: number) => isTrusted(certificate, authority, clock.now() + days * dayMs);
  expect([at(-1), at(0), at(89), at(91)]).toEqual([false, true, true, false]);
  const { tls: other } = await issued(['db']);
  expect(isTrusted(certificate, other.authority(), clock.now())).toBe(false);
  expect(isTrusted(certificate, null, clock.now())).toBe(false);
});

test('a certificate never outlives its CA', async () => {
  const clock = manualClock();
  const { tls } = await issued(['db'], clock);
  await clock.advance(7_290 * dayMs);
  const { certificate } = await tls.issue('svc_a', ['db']);
  const { validToDate } = new X509Certificate(certificate);
  expect(validToDate).toEqual(tls.authority()?.validToDate);
});

test('the names of a database are those given, the address of the host if it is known, and those of the host itself', async () => {
  const namesOf = (address: string | null, given: string[]) =>
    tlsIn('/nowhere', manualClock(), address).namesOf(given);
  expect(await namesOf('192.0.2.7', ['db', '192.0.2.7'])).toEqual([
    'db',
    '192.0.2.7',
    'localhost',
    '127.0.0.1',
  ]);
  expect(await namesOf(null, ['db', '2001:DB8:0::1'])).toEqual([
    'db',
    '2001:db8::1',
    'localhost',
    '127.0.0.1',
  ]);
});

const keyOf = (text: string) => text.slice(0, text.indexOf('-----BEGIN CERTIFICATE'));
const certificateOf = (text: string) => text.slice(text.indexOf('-----BEGIN CERTIFICATE'));

function fail(): never {
  throw new Error('there is no CA');
}
