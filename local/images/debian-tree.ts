/**
 * The files of a small Debian system: the named packages and their dependencies, downloaded by a private apt and unpacked. Nothing is
 * installed on this machine, no maintainer script runs, and no root rights are needed. The mirror and the keys are this machine's.
 */
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aptPatience, aptUnsandboxed } from '../setup/apt.ts';
import { mirrorIn } from '../setup/apt-mirror.ts';
import { runCommand } from '../setup/command.ts';

export interface DebianTree {
  suite: 'bookworm' | 'trixie' | 'sid';
  /** Packages as for `apt-get install`, with a version when the suite keeps changing: `mysql-server-core=9.7.*`. */
  packages: readonly string[];
  /** Dependencies that this tree does not need. */
  omitted?: readonly string[];
}

/** The packages that a shell script needs. `base-files` creates the directories and is unpacked first. */
const basePackages = [
  'base-files',
  'bash',
  'coreutils',
  'dash',
  'findutils',
  'grep',
  'gosu',
  'libc-bin',
  'sed',
];
/** Dependencies of scripts that do not run here, and of things that only a full system needs. */
const omittedPackages = [
  'adduser',
  'debconf',
  'init-system-helpers',
  'libllvm19',
  'libllvm21',
  'locales',
  'mysql-common',
  'perl',
  'perl-base',
  'postgresql-client-common',
  'postgresql-common',
  'sensible-utils',
  'ssl-cert',
  'systemd',
  'sysvinit-utils',
  'ucf',
];
/** The time for package lists of 10 MB, and in the next line for archives of up to 300 MB, over a slow line. */
const updateTimeoutMs = 180_000;
const downloadTimeoutMs = 600_000;
const unpackTimeoutMs = 120_000;
const shortTimeoutMs = 10_000;

/**
 * Fills `root` with the tree.
 * @throws CommandFailed with the error of apt or dpkg; Error when this machine has no Debian mirror
 */
export async function unpackDebian(tree: DebianTree, root: string): Promise<void> {
  const scratch = await mkdtemp(join(tmpdir(), 'longshore-debian-'));
  try {
    const options = await privateApt(scratch, tree);
    await runCommand('apt-get', [...options, 'update', '-q'], { timeoutMs: updateTimeoutMs });
    const wanted = [...basePackages, ...tree.packages];
    await runCommand('apt-get', [...options, 'install', '-yq', '--download-only', ...wanted], {
      timeoutMs: downloadTimeoutMs,
    });
    const archives = join(scratch, 'archives');
    const files = (await readdir(archives)).filter((name) => name.endsWith('.deb')).sort(baseFilesFirst);
    for (const file of files) {
      await runCommand('dpkg-deb', ['-x', join(archives, file), root], { timeoutMs: unpackTimeoutMs });
    }
    if (tree.suite === 'bookworm') await mergeDirectories(root);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Up to bookworm, packages put files below `/bin` and `/lib`, which are links to `/usr` in every installed system. */
async function mergeDirectories(root: string): Promise<void> {
  for (const name of ['bin', 'sbin', 'lib', 'lib64']) {
    const [outer, merged] = [join(root, name), join(root, 'usr', name)];
    await cp(outer, merged, { recursive: true, verbatimSymlinks: true });
    await rm(outer, { recursive: true });
    await symlink(join('usr', name), outer);
  }
}

/** Sorts `base-files` first: its links (`/bin` to `/usr/bin`) must exist before any other file. */
function baseFilesFirst(one: string, other: string): number {
  const rank = (name: string) => (name.startsWith('base-files_') ? 0 : 1);
  return rank(one) - rank(other);
}

/** Options that give apt a separate state, in which the omitted packages count as installed. */
async function privateApt(scratch: string, { suite, packages, omitted = [] }: DebianTree): Promise<string[]> {
  for (const part of ['lists/partial', 'archives/partial', 'preferences.d']) {
    await mkdir(join(scratch, part), { recursive: true });
  }
  // A mirror that is no longer updated has expired suites. Their contents are still signed.
  const source = `deb [check-valid-until=no] ${await mirrorIn('/etc/apt')} ${suite} main\n`;
  await writeFile(join(scratch, 'sources.list'), source);
  // A package that is named explicitly is not omitted: rustc needs its LLVM.
  const absent = [...omittedPackages.filter((name) => !packages.includes(name)), ...omitted];
  await writeFile(join(scratch, 'status'), await installedEntries(absent));
  await writeFile(join(scratch, 'apt.conf'), aptSettings(scratch));
  return [...aptPatience, ...aptUnsandboxed, '-c', join(scratch, 'apt.conf')];
}

function aptSettings(scratch: string): string {
  const settings: Record<string, string> = {
    'Dir::State': scratch,
    'Dir::State::status': join(scratch, 'status'),
    'Dir::State::lists': join(scratch, 'lists'),
    'Dir::Cache': scratch,
    'Dir::Cache::archives': join(scratch, 'archives'),
    'Dir::Etc::sourcelist': join(scratch, 'sources.list'),
    'Dir::Etc::sourceparts': '/dev/null',
    'Dir::Etc::preferencesparts': join(scratch, 'preferences.d'),
    'Acquire::Languages': 'none',
    'APT::Install-Recommends': 'false',
    // Container images delete archives right after a download, unless this is set.
    'APT::Keep-Downloaded-Packages': 'true',
  };
  return Object.entries(settings)
    .map(([key, value]) => `${key} "${value}";\n`)
    .join('');
}

/** Entries for dpkg's status file. The epoch makes them newer than any requested version; with `allowed` they also satisfy `perl:any`. */
async function installedEntries(names: readonly string[]): Promise<string> {
  const architecture = (
    await runCommand('dpkg', ['--print-architecture'], { timeoutMs: shortTimeoutMs })
  ).trim();
  const common = `Status: install ok installed\nVersion: 99:0\nArchitecture: ${architecture}\nMulti-Arch: allowed\nMaintainer: none\nDescription: left out\n`;
  return names.map((name) => `Package: ${name}\n${common}`).join('\n');
}
