import { beforeEach, expect, test } from 'vitest';
import { runnerConfigSchema } from '../../runner/config.ts';
import { readConfig, writeConfig } from '../../runner/config-file.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

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

test('a word that LONGSHORE_ALLOW_PRIVATE does not know is refused, not taken for nothing', () => {
  expect(() => readConfig(directory, { LONGSHORE_ALLOW_PRIVATE: 'gti' })).toThrow(/"gti" is not a list/);
});
