import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { reserveAtBoot, reservePorts } from '../../../runner/setup/reserved-ports.ts';

let directory: string;
let file: string;
let bootFile: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'longshore-ports-'));
  file = join(directory, 'ip_local_reserved_ports');
  bootFile = join(directory, '99-longshore-ports.conf');
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const block = { first: 41_000, last: 41_999 };

test('ports that others reserved stay reserved', async () => {
  await writeFile(file, '8080,9000-9100\n');
  expect(await reservePorts([block], { file, bootFile })).toBe(true);
  expect(await readFile(file, 'utf8')).toBe('8080,9000-9100,41000-41999');
});

test('a host that reserves nothing gets its first range', async () => {
  await writeFile(file, '\n');
  await reservePorts([block], { file, bootFile });
  expect(await readFile(file, 'utf8')).toBe('41000-41999');
});

test('a range that is already reserved is not written again', async () => {
  await writeFile(file, '41000-48999\n');
  await reservePorts([block], { file, bootFile });
  expect(await readFile(file, 'utf8')).toBe('41000-48999\n');
});

test('a host that does not allow it returns false and does not throw', async () => {
  expect(await reservePorts([block], { file: join(directory, 'missing', 'file'), bootFile })).toBe(false);
});

test('the file for the next boot reserves what the kernel reserves now, also for other programs', async () => {
  await writeFile(file, '8080,41000-56999\n');
  await reserveAtBoot({ file, bootFile });
  expect(await readFile(bootFile, 'utf8')).toMatch(
    /^net\.ipv4\.ip_local_reserved_ports = 8080,41000-56999$/m,
  );
});

test('a start keeps the file for the next boot current when the ports of the runner have changed', async () => {
  await writeFile(file, '41000-56999\n');
  await reserveAtBoot({ file, bootFile });
  await reservePorts([{ first: 57_100, last: 57_100 }], { file, bootFile });
  expect(await readFile(bootFile, 'utf8')).toMatch(/= 41000-56999,57100$/m);
});

test('a start makes no file for the next boot on a machine that no installation has set up', async () => {
  await writeFile(file, '\n');
  await reservePorts([block], { file, bootFile });
  expect(existsSync(bootFile)).toBe(false);
});
