import { execFile } from 'node:child_process';
import { chmod, copyFile, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { stripSymbols } from '../../../local/setup/strip-symbols.ts';
import { temporaryDirectory } from '../../support/runner/temporary-directory.ts';

const run = promisify(execFile);
const tags = { tags: 'slow' } as const;
const megabyte = 2 ** 20;
const proof = { proof: ['--version'] };

async function copyOfNode(): Promise<string> {
  const path = join(temporaryDirectory(), 'node');
  await copyFile(process.execPath, path);
  return path;
}

test(
  'Node without symbols takes 104 MB, which leaves the runner and Caddy room in 150 MB',
  tags,
  async () => {
    const path = await copyOfNode();
    expect(await stripSymbols(path, proof)).toBe(true);
    expect((await stat(path)).size).toBeLessThan(104 * megabyte);
    const script = 'console.log(process.version, new Intl.NumberFormat("de").format(1234.5))';
    const { stdout } = await run(path, ['-e', script]);
    expect(stdout).toBe(`${process.version} 1.234,5\n`);
    const smaller = await readFile(path);
    expect(await stripSymbols(path, proof)).toBe(false);
    expect((await readFile(path)).equals(smaller)).toBe(true);
  },
);

test('a crash of Node without symbols names the same functions', tags, async () => {
  const path = await copyOfNode();
  const traceOf = async (node: string) => {
    const script = 'const all = []; for (;;) all.push({})';
    const { stderr } = await run(node, ['--max-old-space-size=20', '-e', script]).catch((error) => error);
    return [...stderr.matchAll(/^ *\d+: 0x[0-9a-f]+ (node::.+) \[/gm)].map(([, name]) => name);
  };
  await stripSymbols(path, proof);
  const trace = await traceOf(path);
  expect(trace).toEqual([expect.stringContaining('node::OOMErrorHandler')]);
  expect(trace).toEqual(await traceOf(process.execPath));
});

test('a program that runs can be made smaller', tags, async () => {
  const path = await copyOfNode();
  const running = run(path, ['-e', 'process.stdin.resume().on("end", () => console.log("ended well"))']);
  await stripSymbols(path, proof);
  running.child.stdin?.end();
  expect((await running).stdout).toBe('ended well\n');
});

test('a script, a link, a cut program and one whose copy does not run stay as they are', tags, async () => {
  const directory = temporaryDirectory();
  const script = join(directory, 'script');
  await writeFile(script, '#!/bin/sh\n');
  expect(await stripSymbols(script, proof)).toBe(false);
  const link = join(directory, 'link');
  await symlink(process.execPath, link);
  expect(await stripSymbols(link, proof)).toBe(false);
  const node = await copyOfNode();
  const before = (await stat(node)).size;
  expect(await stripSymbols(node, { proof: ['--no-such-option'] })).toBe(false);
  expect((await stat(node)).size).toBe(before);
  const cut = join(directory, 'cut');
  await writeFile(cut, (await readFile(node)).subarray(0, 1000));
  await chmod(cut, 0o755);
  await stripSymbols(cut, proof).catch(() => {});
  expect((await stat(cut)).size).toBe(1000);
  expect((await run('ls', [directory])).stdout).toBe('cut\nlink\nscript\n');
});
