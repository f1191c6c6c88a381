/**
 * Provides the Caddy binary: the machine's own, otherwise unpacked from the distribution's package, which starts no service and needs no
 * root rights.
 */
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { renameDurably, syncPath } from '../../runner/base/replace-file.ts';
import { StartError } from '../start-error.ts';
import { unpackPackages } from './apt.ts';
import { canRun } from './command.ts';
import { installAllowed } from './privileges.ts';

/**
 * Finds Caddy on the PATH or in `directory`, or unpacks it there.
 * @param directory created if it is missing; the binary becomes `<directory>/caddy`.
 * @param say called before anything is downloaded.
 * @returns the path of the binary.
 * @throws StartError
 */
export async function ensureCaddy(directory: string, say: (line: string) => void): Promise<string> {
  const installed = await caddyOnPath();
  if (installed !== undefined) return installed;
  const unpacked = join(resolve(directory), 'caddy');
  if (await works(unpacked)) return unpacked;
  if (!installAllowed()) {
    throw new StartError(
      'missing_tool',
      'Caddy is not installed, and LONGSHORE_NO_INSTALL forbids downloading it.',
      {
        command: 'sudo apt-get install caddy',
      },
    );
  }
  say(`Caddy is missing: unpacking the distribution's package into ${directory}`);
  await unpackCaddy(unpacked);
  return unpacked;
}

/** Unpacks into a directory beside the target and moves the binary into place, so that it is never half-written. */
async function unpackCaddy(target: string): Promise<void> {
  const directory = resolve(target, '..');
  await mkdir(directory, { recursive: true });
  const scratch = await mkdtemp(join(directory, '.caddy-'));
  try {
    await unpackPackages(['caddy'], scratch);
    const binary = join(scratch, 'usr/bin/caddy');
    await chmod(binary, 0o755);
    if (!(await works(binary)))
      throw new StartError('install_failed', "The distribution's Caddy does not run here.");
    await syncPath(binary);
    await renameDurably(binary, target);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function caddyOnPath(): Promise<string | undefined> {
  for (const directory of (process.env.PATH ?? '').split(delimiter)) {
    const binary = join(directory, 'caddy');
    if (directory !== '' && (await works(binary))) return binary;
  }
  return undefined;
}

const works = (binary: string) => canRun(binary, ['version']);
