/** Programs of the distribution only for the tests: unpacked in a directory, without changing the machine. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { unpackPackages } from '../../local/setup/apt.ts';
import { runCommand } from '../../local/setup/command.ts';
import { oneAtATime } from './one-at-a-time.ts';

const simulateTimeoutMs = 60_000;

/**
 * Unpacks the packages, and missing libraries that they need, unless `directory` exists. The directory is complete or does not exist. If several
 * files run at the same time, one unpacks and the others wait.
 * @param packages their files are expected in `directory`, so they are unpacked even if the machine has them. Only libraries may be the
 * machine's own. With Chromium installed, its `chromium-common` counted as present, and the unpacked browser lacked its data.
 */
export async function unpackMissing(packages: string[], directory: string): Promise<void> {
  if (existsSync(directory)) return;
  mkdirSync(dirname(directory), { recursive: true });
  await oneAtATime(`${directory}.lock`, async () => {
    if (!existsSync(directory)) await unpack(packages, directory);
  });
}

async function unpack(packages: string[], directory: string): Promise<void> {
  const scratch = mkdtempSync(`${directory}.part-`);
  try {
    // Before the simulation, because this updates the package lists if apt has none.
    await unpackPackages(packages, scratch);
    const install = ['install', '--simulate', '--no-install-recommends', ...packages];
    const plan = await runCommand('apt-get', install, { timeoutMs: simulateTimeoutMs });
    // A line with a version in brackets would upgrade an installed package, which is skipped.
    const missing = [...plan.matchAll(/^Inst (\S+) \(/gm)].map(([, name = '']) => name);
    if (missing.length > 0) await unpackPackages(missing, scratch);
    renameSync(scratch, directory);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Unpacks a package with all its dependencies except the C library, for a container that has nothing else. */
export async function unpackWhole(name: string, directory: string): Promise<void> {
  const relations = ['recommends', 'suggests', 'conflicts', 'breaks', 'replaces', 'enhances'];
  const ask = ['depends', '--recurse', ...relations.map((one) => `--no-${one}`), name];
  const answer = await runCommand('apt-cache', ask, { timeoutMs: simulateTimeoutMs });
  // Dependencies are indented, and each also has its own line; names in <> are virtual.
  const names = new Set([...answer.matchAll(/^[a-z0-9][\w.+-]*/gm)].map(([found]) => found));
  for (const system of ['libc6', 'debconf', 'cdebconf', 'perl', 'perl-base', 'dpkg', 'tar'])
    names.delete(system);
  await unpackPackages([...names], directory);
}

/** `LD_LIBRARY_PATH` for programs that were unpacked in `directory`: packages use both locations. */
export function unpackedLibraries(directory: string): string {
  const architecture = execFileSync('uname', ['-m'], { encoding: 'utf8' }).trim();
  return ['usr/lib', 'lib'].map((parent) => join(directory, parent, `${architecture}-linux-gnu`)).join(':');
}
