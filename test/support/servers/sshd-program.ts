/** The sshd for tests. If it is missing it is not installed, because installing it would start a server for the whole machine. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unpackedLibraries, unpackMissing } from '../unpack-missing.ts';

export interface SshdProgram {
  path: string;
  env: Record<string, string>;
  /** Lines that its configuration needs. */
  settings: Record<string, string>;
}

const installed = '/usr/sbin/sshd';
const tools = fileURLToPath(new URL('../../../.longshore/tools/ssh-server', import.meta.url));

/** The machine's sshd, or the unpacked package. @param directory for files that the unpacked sshd needs */
export async function sshdProgram(directory: string): Promise<SshdProgram> {
  if (existsSync(installed)) return { path: installed, env: {}, settings: {} };
  await unpackMissing(['openssh-server', 'libnss-wrapper'], tools);
  return {
    path: join(tools, installed),
    env: { LD_LIBRARY_PATH: unpackedLibraries(tools), ...withSshdAccount(directory) },
    settings: helperPaths(),
  };
}

const accountsLibrary = 'libnss_wrapper.so';

/**
 * As root, sshd refuses to start unless the machine has an account `sshd`, which the package's install script creates.
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
