import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { beforeEach, expect, test } from 'vitest';
import { runnerConfigSchema } from '../../../runner/setup/config.ts';
import { readConfig, writeConfig } from '../../../runner/setup/config-file.ts';
import { temporaryDirectory } from '../../support/runner/temporary-directory.ts';

let directory: string;

beforeEach(() => {
  directory = temporaryDirectory();
  writeConfig(
    directory,
    runnerConfigSchema.parse({
      url: 'https://control.example',
      runnerId: 'run_a',
      name: 'a',
      httpPort: 80,
      httpsPort: 443,
      webPorts: { first: 41_000, last: 41_999 },
      databasePorts: { first: 45_000, last: 45_999 },
      caddyPath: 'caddy',
      allowPrivate: ['git'],
    }),
  );
});

test.each([
  [undefined, ['git']],
  ['', []],
  ['import', ['import']],
  ['git, import', ['git', 'import']],
])('LONGSHORE_ALLOW_PRIVATE=%j makes what may reach private addresses %j', (value, allowed) => {
  const environment = value === undefined ? {} : { LONGSHORE_ALLOW_PRIVATE: value };
  expect(readConfig(directory, environment).allowPrivate).toEqual(allowed);
});

test('LONGSHORE_ACME_... overrides the CA settings of the file, and only those that it sets', () => {
  const root = join(directory, 'root.pem');
  writeFileSync(root, rootCertificates[0] ?? '');
  const environment = {
    LONGSHORE_ACME_CA: 'https://ca.example:443/acme/directory',
    LONGSHORE_ACME_CA_ROOT: root,
  };
  expect(readConfig(directory, environment)).toMatchObject({
    acmeDirectory: 'https://ca.example/acme/directory',
    acmeEmail: null,
    acmeCaRoot: root,
  });
  expect(readConfig(directory, { LONGSHORE_ACME_CA: '' }).acmeDirectory).toContain('letsencrypt.org');
  expect(readConfig(directory, { LONGSHORE_ACME_CA: 'internal' }).acmeDirectory).toBe('internal');
});

test.each([
  [
    'LONGSHORE_ACME_CA',
    'http://ca.example/directory',
    /"http:\/\/ca.example\/directory" is neither "internal"/,
  ],
  ['LONGSHORE_ACME_CA', 'letsencrypt', /"letsencrypt" is neither/],
  ['LONGSHORE_ACME_EMAIL', 'ops', /"ops" is not an e-mail address/],
  ['LONGSHORE_ACME_CA_ROOT', '/nowhere/root.pem', /\/nowhere\/root.pem is not a PEM certificate: ENOENT/],
])('%s=%s is refused before the proxy starts', (name, value, sentence) => {
  expect(() => readConfig(directory, { [name]: value })).toThrow(sentence);
});

test('a word that LONGSHORE_ALLOW_PRIVATE does not know is refused, not taken for nothing', () => {
  expect(() => readConfig(directory, { LONGSHORE_ALLOW_PRIVATE: 'gti' })).toThrow(/"gti" is not a list/);
});
