import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { reservePorts } from '../../../runner/setup/reserved-ports.ts';

let directory: string;
let file: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'longshore-ports-'));
  file = join(directory, 'ip_local_reserved_ports');
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const block = { first: 41_000, last: 41_999 };

test('ports that others reserved stay reserved', async () => {
  await writeFile(file, '8080,9000-9100\n');
  expect(await reservePorts([block], file)).toBe(true);
  expect(await readFile(file, 'utf8')).toBe('8080,9000-9100,41000-41999');
});

test('a host that reserves nothing gets its first range', async () => {
  await writeFile(file, '\n');
  await reservePorts([block], file);
  expect(await readFile(file, 'utf8')).toBe('41000-41999');
});

test('a range that is already reserved is not written again', async () => {
  await writeFile(file, '41000-48999\n');
  await reservePorts([block], file);
  expect(await readFile(file, 'utf8')).toBe('41000-48999\n');
});

test('a host that does not allow it returns false and does not throw', async () => {
  expect(await reservePorts([block], join(directory, 'missing', 'file'))).toBe(false);
});
