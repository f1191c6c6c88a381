import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ensureCaddy } from '../../../local/setup/ensure-caddy.ts';
import { temporaryDirectory } from '../../support/runner/temporary.ts';

/** A program that answers `version` with this exit code. */
async function program(path: string, exitCode: number): Promise<void> {
  await writeFile(path, `#!/bin/sh\nexit ${exitCode}\n`);
  await chmod(path, 0o755);
}

beforeEach(() => {
  // Without the machine's own Caddy, and without a download if the code under test tries one.
  vi.stubEnv('PATH', '/nonexistent');
  vi.stubEnv('LONGSHORE_NO_INSTALL', '1');
});
afterEach(() => vi.unstubAllEnvs());

test("the machine's own Caddy is preferred", async () => {
  const directory = await temporaryDirectory();
  const onPath = join(directory, 'path');
  await mkdir(onPath);
  await program(join(onPath, 'caddy'), 0);
  vi.stubEnv('PATH', ['/nonexistent', onPath].join(delimiter));
  expect(await ensureCaddy(join(directory, 'tools'), () => {})).toBe(join(onPath, 'caddy'));
});

test('a Caddy that was unpacked before is reused silently', async () => {
  const tools = await temporaryDirectory();
  await program(join(tools, 'caddy'), 0);
  const said: string[] = [];
  expect(await ensureCaddy(tools, (line) => said.push(line))).toBe(join(tools, 'caddy'));
  expect(said).toEqual([]);
});

test('a Caddy that does not run counts as missing; without permission to install the start prints the command', async () => {
  const tools = await temporaryDirectory();
  await program(join(tools, 'caddy'), 1);
  await expect(ensureCaddy(tools, () => {})).rejects.toMatchObject({
    code: 'missing_tool',
    command: 'sudo apt-get install caddy',
  });
});
