import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  certificateStore,
  issuerDirectory,
} from '../../../../runner/proxy/certificates/certificate-store.ts';
import { temporaryDirectory } from '../../../support/runner/temporary-directory.ts';
import { selfSignedCertificate } from '../../../support/self-signed-certificate.ts';

test.each([
  // Directories that Caddy 2.6.2 made.
  ['https://acme-v02.api.letsencrypt.org/directory', 'acme-v02.api.letsencrypt.org-directory'],
  ['https://localhost:24000/dir', 'localhost-24000-dir'],
  ['https://ca.example/acme/local/directory/', 'ca.example-acme-local-directory'],
  ['https://ca.example', 'ca.example'],
])('certificates of %s are in %s', (acmeDirectory, name) => {
  expect(issuerDirectory('/storage', acmeDirectory)).toBe(`/storage/certificates/${name}`);
});

test('Caddy’s own CA has no directory of certificates', () => {
  expect(issuerDirectory('/storage', 'internal')).toBe(undefined);
});

test('a certificate is read again when its file has changed, and skipped while it is half written', async () => {
  const directory = temporaryDirectory();
  mkdirSync(join(directory, 'a.example'));
  const file = join(directory, 'a.example', 'a.example.crt');
  const issue = async (days: number, writtenAt: number) => {
    writeFileSync(file, (await selfSignedCertificate('a', { days })).certificate);
    utimesSync(file, writtenAt, writtenAt);
  };
  const store = certificateStore(directory);
  expect(store.of('a.example')).toBe(undefined);
  await issue(1, 1_000);
  const first = store.of('a.example');
  expect(store.of('a.example')).toBe(first);
  expect((first?.expiresAt ?? 0) - (first?.notBefore ?? 0)).toBe(24 * 3_600_000);
  writeFileSync(file, '-----BEGIN CERTIFICATE-----\nMIIB');
  expect(store.of('a.example')).toBe(undefined);
  await issue(2, 2_000);
  expect((store.of('a.example')?.expiresAt ?? 0) - (first?.notBefore ?? 0)).toBeGreaterThan(47 * 3_600_000);
  rmSync(file);
  expect(store.of('a.example')).toBe(undefined);
});
