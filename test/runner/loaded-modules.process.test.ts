import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** Prints what is loaded once the given files are. */
const program = `
  import { registerHooks } from 'node:module';
  const packages = new Set();
  registerHooks({
    load(url, context, next) {
      const name = /node_modules\\/((?:@[^/]+\\/)?[^/]+)\\/(?!.*node_modules\\/)/.exec(url)?.[1];
      if (name) packages.add(name);
      return next(url, context);
    },
  });
  for (const file of process.argv.slice(1)) await import(file);
  const builtins = process.moduleLoadList.map((entry) => entry.replace(/^NativeModule /, ''));
  console.log(JSON.stringify({ packages: [...packages], builtins }));
`;

async function loadedBy(...files: string[]): Promise<{ packages: string[]; builtins: string[] }> {
  const args = ['--input-type=module', '-e', program, ...files.map((file) => import.meta.resolve(file))];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout);
}

/** Megabytes each that a waiting runner would hold for nothing. */
const forJobsOnly = [
  '@grpc/grpc-js',
  'ssh2',
  'protobufjs',
  'semver',
  '@xmldom/xmldom',
  'pg',
  'mysql2',
  'mongodb',
  '@clickhouse/client',
  '@peculiar/x509',
  'reflect-metadata',
];

test('a runner that waits for work has loaded neither what only jobs need nor a second HTTP client', async () => {
  const { packages, builtins } = await loadedBy('../../runner/daemon.ts', '../../runner/host/host-work.ts');
  expect(packages).toContain('dockerode');
  expect(packages.filter((name) => forJobsOnly.includes(name))).toEqual([]);
  expect(builtins.filter((name) => /undici/.test(name))).toEqual([]);
});

test('the jobs load what they need when the first one comes', async () => {
  const { packages } = await loadedBy(
    '../../runner/jobs/deploy/deploy.ts',
    '../../runner/jobs/database/deploy-database.ts',
  );
  expect(packages).toEqual(
    expect.arrayContaining(['protobufjs', 'semver', 'pg', 'mysql2', 'mongodb', '@clickhouse/client']),
  );
});

test('a look at the certificates of databases loads neither their driver nor what makes certificates', async () => {
  const { packages } = await loadedBy(
    '../../runner/database-tls/renew-certificates.ts',
    '../../runner/database-tls/answer-database-tls.ts',
  );
  expect(packages).toContain('dockerode');
  expect(packages.filter((name) => forJobsOnly.includes(name))).toEqual([]);
});
