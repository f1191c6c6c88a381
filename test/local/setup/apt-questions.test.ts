/** dpkg asks about configuration files that it did not write, and an installation has nobody who could answer. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { dpkgKeepsFiles } from '../../../local/setup/apt.ts';
import { runCommand } from '../../../local/setup/command.ts';

const timeoutMs = 20_000;

/** A package with the file /etc/own.conf, and a system of its own where somebody else has written this file. */
async function packageAndSystem() {
  const directory = mkdtempSync(join(tmpdir(), 'longshore-dpkg-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const at = (...parts: string[]) => join(directory, ...parts);
  for (const part of [
    'package/DEBIAN',
    'package/etc',
    'system/etc',
    'system/var/lib/dpkg/updates',
    'system/var/lib/dpkg/info',
  ])
    mkdirSync(at(part), { recursive: true });
  for (const file of ['status', 'available']) writeFileSync(at('system/var/lib/dpkg', file), '');
  writeFileSync(
    at('package/DEBIAN/control'),
    'Package: own\nVersion: 1\nArchitecture: all\nMaintainer: nobody <nobody@example.com>\nDescription: a test\n',
  );
  writeFileSync(at('package/DEBIAN/conffiles'), '/etc/own.conf\n');
  writeFileSync(at('package/etc/own.conf'), 'of the package\n');
  writeFileSync(at('system/etc/own.conf'), 'of the owner\n');
  await runCommand('dpkg-deb', ['--root-owner-group', '--build', at('package'), at('own.deb')], {
    timeoutMs,
  });
  const install = (options: string[]) =>
    runCommand(
      'dpkg',
      [`--root=${at('system')}`, '--force-not-root', ...options, '--install', at('own.deb')],
      {
        timeoutMs,
      },
    );
  return { install, content: () => readFileSync(at('system/etc/own.conf'), 'utf8') };
}

test('a program that asks gets the end of its input, and the installation does not wait', async () => {
  expect(await runCommand('cat', [], { timeoutMs })).toBe('');
});

test('a question of dpkg that nobody answers ends the installation with an error', async () => {
  const { install } = await packageAndSystem();
  await expect(install([])).rejects.toThrow(/end of file|EOF/);
});

test('a package keeps the configuration file that somebody wrote before it was installed', async () => {
  const { install, content } = await packageAndSystem();
  await install(dpkgKeepsFiles);
  expect(content()).toBe('of the owner\n');
});
