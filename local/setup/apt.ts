/** Installs packages of the distribution, or only downloads and unpacks them, which needs no root rights. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StartError } from '../start-error.ts';
import { runCommand } from './command.ts';
import { rootPrefix } from './privileges.ts';

/** Gives up on a mirror that stalls, and retries. Without this, apt was seen to hang for five minutes. */
export const aptPatience = [
  '-o',
  'Acquire::http::Timeout=20',
  '-o',
  'Acquire::https::Timeout=20',
  '-o',
  'Acquire::Retries=3',
];
/** Downloads as the calling user: apt's own user can't write into a private directory, and only warns about it. */
export const aptUnsandboxed = ['-o', 'APT::Sandbox::User=root'];
/**
 * dpkg asks about each configuration file that existed before its package, or that an interrupted installation left undecided. The existing
 * file is kept.
 */
export const dpkgKeepsFiles = ['--force-confdef', '--force-confold'];
/** apt-get would keep the downloaded files: 100 MB for Docker. */
const aptKeepsNothing = ['-o', 'APT::Keep-Downloaded-Packages=false'];
const downloadTimeoutMs = 180_000;
const updateTimeoutMs = 180_000;
/** An install unpacks and configures packages, which takes minutes on slow disks. */
const installTimeoutMs = 600_000;
/** A browser takes 10 s on an idle machine; disks that others use at the same time are much slower. */
const unpackTimeoutMs = 300_000;

/**
 * Downloads packages (without their dependencies) and unpacks them into `directory`. Nothing is installed, and no service starts.
 * @throws StartError `install_failed` with apt's error.
 */
export async function unpackPackages(names: string[], directory: string): Promise<void> {
  const downloads = await mkdtemp(join(tmpdir(), 'longshore-apt-'));
  try {
    await download(names, downloads);
    for (const file of await readdir(downloads)) {
      await runCommand('dpkg', ['-x', join(downloads, file), directory], { timeoutMs: unpackTimeoutMs });
    }
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new StartError('install_failed', `Could not download ${names.join(', ')} with apt: ${why}`, {
      cause,
    });
  } finally {
    await rm(downloads, { recursive: true, force: true });
  }
}

/**
 * Installs packages on the machine.
 * @param prefix the result of `rootPrefix`.
 * @throws CommandFailed
 */
export async function installPackages(names: string[], prefix: string[]): Promise<void> {
  await updateLists(prefix);
  const install = [
    'apt-get',
    'install',
    '-y',
    '-q',
    '--no-install-recommends',
    ...aptPatience,
    ...aptKeepsNothing,
    ...dpkgKeepsFiles.flatMap((option) => ['-o', `Dpkg::Options::=${option}`]),
  ];
  await asRoot(prefix, [...install, ...names], installTimeoutMs);
}

async function download(names: string[], into: string): Promise<void> {
  const fetch = () =>
    runCommand('apt-get', ['download', '-q', ...aptPatience, ...aptUnsandboxed, ...names], {
      timeoutMs: downloadTimeoutMs,
      cwd: into,
    });
  try {
    await fetch();
  } catch (error) {
    // Usually the package lists are missing (a new container), or name a version that the mirror no longer has.
    const prefix = await rootPrefix();
    if (prefix === undefined) throw error;
    await updateLists(prefix);
    await fetch();
  }
}

let updated: Promise<unknown> | undefined;

/** Updates once per process: the set-up installs several packages one after the other. */
async function updateLists(prefix: string[]): Promise<void> {
  updated ??= asRoot(prefix, ['apt-get', 'update', '-q', ...aptPatience], updateTimeoutMs);
  // A broken third-party list fails the whole update. The next step shows whether that matters.
  await updated.catch(() => {});
}

function asRoot(prefix: string[], command: string[], timeoutMs: number): Promise<string> {
  const [file = '', ...args] = [...prefix, 'env', 'DEBIAN_FRONTEND=noninteractive', ...command];
  return runCommand(file, args, { timeoutMs });
}
