/** The root folder of the bare machine: Debian's smallest system, Node, npm, git, and a clone of this repository. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mirrorIn } from '../../local/setup/apt-mirror.ts';
import { copyRegistryAccess, type RegistryAccess } from './registry-access.ts';
import { runTied } from './tied-process.ts';

/** The oldest Node that the README promises, and the newest npm that runs on it. */
const node = `node-linux-${process.arch}@20`;
const npm = 'npm@11';

/** Where the clone is in the machine: the path of the README's example. */
export const clonePath = '/srv/longshore';

/** Downloads of 100 MB over a slow line, and a slow disk. */
const debootstrapTimeoutMs = 900_000;
const npmTimeoutMs = 300_000;
const copyTimeoutMs = 120_000;

export interface RootFolderOptions {
  /** The repository that is cloned into it. */
  projectRoot: string;
  /** The release of Debian, such as `bookworm` or `forky`. */
  debian: string;
  access: RegistryAccess;
  signal: AbortSignal;
}

/** Fills the empty directory `root`. */
export async function makeRootFolder(
  root: string,
  { projectRoot, debian, access, signal }: RootFolderOptions,
): Promise<void> {
  const mirror = await mirrorIn('/etc/apt');
  // A debootstrap that is older than the release has no script of its name. Debian's releases all use that of sid.
  const release = [debian, root, mirror, '/usr/share/debootstrap/scripts/sid'];
  const install = ['debootstrap', '--variant=minbase', '--include=git', ...release];
  // debootstrap mounts /proc in the folder; in a mount namespace of its own it can't leave that behind.
  await runTied('unshare', ['--mount', '--pid', '--fork', '--kill-child', ...install], {
    timeoutMs: debootstrapTimeoutMs,
    signal,
  });
  // npm's own packages: the folder gets the same versions whatever this host has.
  const prefix = join(root, 'usr/local');
  await runTied('npm', ['install', '--global', '--prefix', prefix, '--no-audit', '--no-fund', node, npm], {
    timeoutMs: npmTimeoutMs,
    signal,
  });
  await writeFile(join(root, 'etc/hostname'), 'bare-machine\n');
  await writeFile(
    join(root, 'etc/hosts'),
    '127.0.0.1 localhost bare-machine\n::1 localhost ip6-localhost ip6-loopback\n',
  );
  await writeFile(join(root, 'etc/resolv.conf'), `nameserver ${nameServer}\n`);
  await copyRegistryAccess(access, root);
  await mkdir(join(root, clonePath, '..'), { recursive: true });
  await runTied('git', ['clone', '--quiet', '--no-hardlinks', projectRoot, join(root, clonePath)], {
    timeoutMs: copyTimeoutMs,
    signal,
  });
}

/** slirp4netns answers here and asks the host's name server. */
const nameServer = '10.0.2.3';

export async function copyRootFolder(from: string, to: string, signal: AbortSignal): Promise<void> {
  await runTied('cp', ['-a', '--reflink=auto', from, to], { timeoutMs: copyTimeoutMs, signal });
}
