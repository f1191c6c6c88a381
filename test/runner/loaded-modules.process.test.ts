import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { runnerFlags } from '../../local/runner-flags.ts';
import { temporaryDirectory } from '../support/runner/temporary-directory.ts';

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

test('checking the certificates of databases loads neither their driver nor the certificate maker', async () => {
  const { packages } = await loadedBy(
    '../../runner/database-tls/renew-certificates.ts',
    '../../runner/database-tls/answer-database-tls.ts',
  );
  expect(packages).toContain('dockerode');
  expect(packages.filter((name) => forJobsOnly.includes(name))).toEqual([]);
});

test('no source is left to strip for the first runner after its modules were compiled ahead', async () => {
  const directory = temporaryDirectory();
  const node = (file: string, args: string[], env: NodeJS.ProcessEnv = {}) => {
    const program = fileURLToPath(import.meta.resolve(file));
    const cache = { NODE_COMPILE_CACHE: join(directory, 'compiled') };
    return promisify(execFile)(process.execPath, [...runnerFlags, program, ...args], {
      env: { ...process.env, ...cache, ...env },
      maxBuffer: 64 * 1024 ** 2,
    });
  };
  await node('../../runner/compile-ahead.ts', []);
  // It loads everything before it finds that the host is not enrolled.
  const started = node('../../runner/main.ts', ['run', '--data', join(directory, 'none')], {
    NODE_DEBUG_NATIVE: 'COMPILE_CACHE',
  });
  const { stdout, stderr } = await started.then(
    () => expect.unreachable(),
    (failed: { stdout: string; stderr: string }) => failed,
  );
  const said = (pattern: RegExp) => [...`${stdout}${stderr}`.matchAll(pattern)].map(([line]) => line);
  expect(said(/no transpile cache for .*/g)).toEqual([]);
  expect(said(/retrieving transpile cache for .*success/g).length).toBeGreaterThan(100);
});
