/**
 * Creates what a control plane serves of the command line: `<directory>/cli/longshore.mjs`, and the script that installs it,
 * `<directory>/cli.sh`. The script knows the digest of the file, so both are always of one build.
 */
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from './bundle.ts';

/** @param directory of the static files; its `cli/` is replaced */
export async function makeServedCommandLine(directory: string): Promise<void> {
  const folder = resolve(directory, 'cli');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const program = await readFile(await bundle(join(folder, 'longshore.mjs')));
  const { version } = JSON.parse(await readFile(own('../package.json'), 'utf8')) as { version: string };
  const script = await readFile(own('install.sh'), 'utf8');
  const filled = script
    .replace('@CLI_SHA256@', createHash('sha256').update(program).digest('hex'))
    .replace('@LONGSHORE_VERSION@', version);
  await writeFile(resolve(directory, 'cli.sh'), filled);
}

const own = (name: string) => fileURLToPath(new URL(name, import.meta.url));

if (import.meta.main) await makeServedCommandLine(process.argv[2] ?? own('../dist/assets'));
