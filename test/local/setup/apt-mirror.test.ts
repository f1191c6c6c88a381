import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { mirrorIn } from '../../../local/setup/apt-mirror.ts';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'longshore-apt-'));
  await mkdir(join(directory, 'sources.list.d'));
});
afterEach(() => rm(directory, { recursive: true }));

const list = (name: string, text: string) => writeFile(join(directory, 'sources.list.d', name), text);

test('stanzas give the archive, not its security updates or third-party packages', async () => {
  await list('a.sources', 'Types: deb\nURIs: https://other.example/node\nSuites: nodistro\n');
  await list(
    'debian.sources',
    'Types: deb\n# http://snapshot.example/archive/debian\nURIs: http://mirror.example/debian\nSuites: bookworm\n\nTypes: deb\nURIs: http://mirror.example/debian-security\n',
  );
  expect(await mirrorIn(directory)).toBe('http://mirror.example/debian');
});

test('one-line entries are read with and without options', async () => {
  const entry = 'deb [signed-by=/x.gpg arch=amd64] http://mirror.example/debian/ bookworm main\n';
  await writeFile(join(directory, 'sources.list'), `# deb http://old.example/debian x main\n${entry}`);
  expect(await mirrorIn(directory)).toBe('http://mirror.example/debian/');
});

test("a source with Debian's own keyring comes first", async () => {
  await list('a.list', 'deb https://backports.example/debian x main\n');
  await list(
    'b.sources',
    'URIs: http://mirror.example/debian\nSigned-By: /usr/share/keyrings/debian-archive-keyring.gpg\n',
  );
  expect(await mirrorIn(directory)).toBe('http://mirror.example/debian');
});

test('a machine without Debian packages gets a clear message', async () => {
  await list('a.list', 'deb http://mirror.example/ubuntu noble main\n');
  await expect(mirrorIn(directory)).rejects.toThrow('no source for Debian packages');
});
