/** The sshd of the tests. It is not installed where it is missing: installing it would start a server for the whole machine. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unpackPackages } from '../../local/setup/apt.ts';
import { runCommand } from '../../local/setup/command.ts';

export interface SshdProgram {
  path: string;
  env: Record<string, string>;
  /** Lines that its configuration needs. */
  settings: Record<string, string>;
}

const installed = '/usr/sbin/sshd';
const tools = new URL('../../.longshore/tools/sshd', import.meta.url).pathname;

/** The machine's sshd, or the unpacked package. @param directory for files that the unpacked sshd needs */
export async function sshdProgram(directory: string): Promise<SshdProgram> {
  if (existsSync(installed)) return { path: installed, env: {}, settings: {} };
  if (!libraries().some((one) => existsSync(join(one, accountsLibrary)))) await unpackSshd();
  return {
    path: join(tools, installed),
    env: { LD_LIBRARY_PATH: libraries().join(':'), ...withSshdAccount(directory) },
    settings: helperPaths(),
  };
}

const packages = ['openssh-server', 'libnss-wrapper'];
const accountsLibrary = 'libnss_wrapper.so';
const simulateTimeoutMs = 60_000;

/** Packages still use both directories. */
function libraries(): string[] {
  const architecture = execFileSync('uname', ['-m'], { encoding: 'utf8' }).trim();
  return ['usr/lib', 'lib'].map((parent) => join(tools, parent, `${architecture}-linux-gnu`));
}

/** Unpacks the packages and what they need that this machine does not have: sshd's libraries are not on a small Debian. */
async function unpackSshd(): Promise<void> {
  const scratch = `${tools}.part`;
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(scratch, { recursive: true });
  // Before the simulation: where apt has no package lists, this updates them.
  await unpackPackages(packages, scratch);
  const install = ['install', '--simulate', '--no-install-recommends', ...packages];
  const plan = await runCommand('apt-get', install, { timeoutMs: simulateTimeoutMs });
  // A line with a version in brackets upgrades what is installed; that is left alone.
  const missing = [...plan.matchAll(/^Inst (\S+) \(/gm)].map(([, name = '']) => name);
  await unpackPackages(missing, scratch);
  rmSync(tools, { recursive: true, force: true });
  renameSync(scratch, tools);
}

/**
 * As root, sshd refuses to start unless the machine has an account `sshd`, which the package's install script makes.
 * libnss_wrapper lets this one process see that account; the machine's own /etc/passwd is not changed.
 */
function withSshdAccount(directory: string): Record<string, string> {
  const accounts = join(directory, 'passwd');
  // The numbers of `nobody`: sshd only needs an account without rights.
  const sshd = 'sshd:x:65534:65534::/run/sshd:/usr/sbin/nologin';
  const others = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('sshd:'));
  writeFileSync(accounts, `${[...others, sshd].join('\n')}\n`);
  return {
    LD_PRELOAD: accountsLibrary,
    NSS_WRAPPER_PASSWD: accounts,
    // The library does nothing unless both files are named.
    NSS_WRAPPER_GROUP: '/etc/group',
  };
}

/** Newer versions of sshd start helper programs by their path. */
function helperPaths(): Record<string, string> {
  const helpers = { SshdSessionPath: 'sshd-session', SshdAuthPath: 'sshd-auth' };
  const paths = Object.entries(helpers)
    .map(([name, file]) => [name, join(tools, 'usr/lib/openssh', file)] as const)
    .filter(([, path]) => existsSync(path));
  return Object.fromEntries(paths);
}
