#!/usr/bin/env node
/**
 * The program of `@longshore/server` and of `@longshore/runner`, for any Node >= 20: continues under the Node that the package depends on, in
 * the package's module of the same name.
 */
import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

if (process.platform !== 'linux')
  fail('Longshore runs on Linux; on other systems use a Linux machine or a container.');
const own = fileURLToPath(import.meta.url);
const packageOf = createRequire(own);
const program = join(dirname(own), basename(own).replace('longshore-', ''));
const node = dirname(
  find(`node-linux-${process.arch}/package.json`) ??
    fail(
      `There is no Node for this processor (${process.arch}) beside this package: install it with optional dependencies.`,
    ),
);
// Headers and man pages are not used here. They stay if this user may not delete them.
for (const unused of ['include', 'share'])
  await rm(join(node, unused), { recursive: true, force: true }).catch(() => {});
const args = ['--max-semi-space-size=1', program, ...process.argv.slice(2)];
const child = spawn(join(node, 'bin/node'), args, {
  stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  env: { ...process.env, LONGSHORE_PARENT: 'wrapper' },
});
// Ctrl-C reaches the child directly: both are in the terminal's process group.
process.on('SIGINT', () => {});
for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
child.once('error', (error) => fail(`Node can't be run: ${error.message}.`));
child.once('exit', (code) => process.exit(code ?? 1));

function find(name: string): string | undefined {
  try {
    return packageOf.resolve(name);
  } catch {
    return undefined;
  }
}

function fail(sentence: string): never {
  console.error(`error: ${sentence}`);
  process.exit(1);
}
