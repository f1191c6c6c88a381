import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { wildcardCertificates } from '../../../../runner/proxy/certificates/wildcard/wildcard-certificates.ts';
import { temporaryDirectory } from '../../../support/runner/temporary-directory.ts';
import { selfSignedCertificate } from '../../../support/self-signed-certificate.ts';

test('a certificate that arrives after the host has lost its name is not kept', async () => {
  const directory = temporaryDirectory();
  const { certificate, key } = await selfSignedCertificate('shop.example', { names: ['*.shop.example'] });
  const wildcards = wildcardCertificates(directory);
  wildcards.keep(['*.shop.example']);
  wildcards.put('*.shop.example', certificate + key);
  expect(wildcards.of('*.shop.example')).toBeDefined();
  wildcards.keep([]);
  wildcards.put('*.shop.example', certificate + key);
  expect([readdirSync(directory), wildcards.of('*.shop.example')]).toEqual([[], undefined]);
  wildcards.keep(['*.shop.example']);
  wildcards.put('*.shop.example', certificate + key);
  expect(readdirSync(directory)).toHaveLength(1);
});
