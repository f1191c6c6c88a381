/**
 * `node:24-slim` without a registry: the Node binary that npm installed for this project, the C libraries that it is linked to, npm, a
 * static busybox as the shell, and this host's CA bundle. It has no apt: a Dockerfile that installs packages needs the official image.
 */
import { createHash } from 'node:crypto';
import { chmod, copyFile, cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { unpackPackages } from '../setup/apt.ts';
import { canRun, runCommand } from '../setup/command.ts';
import type { Recipe } from './recipe.ts';

const npmVersion = '11.21.2';
const npmInstallTimeoutMs = 180_000;
const shortTimeoutMs = 30_000;
const caBundle = '/etc/ssl/certs/ca-certificates.crt';
const nodeUserId = 1000;
/** Must be raised when this file produces another image although no input has changed. */
const revision = '3';

export const nodeSlim: Recipe = {
  image: 'node:24-slim',
  async inputs() {
    return {
      revision,
      node: process.version,
      architecture: process.arch,
      npm: npmVersion,
      caBundle: createHash('sha256')
        .update(await caCertificates())
        .digest('hex'),
    };
  },
  async fill(root) {
    await makeDirectories(root);
    await addShell(root);
    await addNode(root);
    await addNpm(root);
    await addAccounts(root);
    await writeFile(join(root, caBundle), await caCertificates());
    await addEntrypoint(root);
  },
  owner: (path) => (path === 'home/node' || path.startsWith('home/node/') ? nodeUserId : 0),
  config: [
    'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    `ENV NODE_VERSION=${process.version.slice(1)}`,
    `ENV NODE_EXTRA_CA_CERTS=${caBundle}`,
    `ENV SSL_CERT_FILE=${caBundle}`,
    'ENTRYPOINT ["docker-entrypoint.sh"]',
    'CMD ["node"]',
  ],
};

async function makeDirectories(root: string): Promise<void> {
  const plain = [
    'bin',
    'etc/ssl/certs',
    'home/node',
    'root',
    'run',
    'sbin',
    'usr/bin',
    'usr/local/bin',
    'usr/sbin',
  ];
  for (const path of [...plain, 'usr/local/lib/node_modules', 'usr/share', 'var/lib', 'var/log']) {
    await mkdir(join(root, path), { recursive: true });
  }
  for (const path of ['tmp', 'var/tmp']) {
    await mkdir(join(root, path), { recursive: true });
    await chmod(join(root, path), 0o1777);
  }
}

async function addShell(root: string): Promise<void> {
  const unpacked = join(root, '.busybox');
  await unpackPackages(['busybox-static'], unpacked);
  await copyFile(join(unpacked, 'bin/busybox'), join(root, 'bin/busybox')).catch(() =>
    // Newer suites install everything under /usr.
    copyFile(join(unpacked, 'usr/bin/busybox'), join(root, 'bin/busybox')),
  );
  await chmod(join(root, 'bin/busybox'), 0o755);
  await rm(unpacked, { recursive: true });
  const applets = await runCommand(join(root, 'bin/busybox'), ['--list'], { timeoutMs: shortTimeoutMs });
  for (const applet of applets.split('\n').filter((name) => name !== '' && name !== 'busybox')) {
    await symlink('busybox', join(root, 'bin', applet));
  }
  // Scripts use this path for env.
  await symlink('/bin/env', join(root, 'usr/bin/env'));
}

async function addNode(root: string): Promise<void> {
  const binary = join(root, 'usr/local/bin/node');
  await copyFile(process.execPath, binary);
  await chmod(binary, 0o755);
  // Debug symbols are a sixth of the binary. Without binutils they stay.
  await canRun('strip', [binary]);
  await symlink('node', join(root, 'usr/local/bin/nodejs'));
  for (const library of await librariesOf(process.execPath)) {
    await mkdir(join(root, dirname(library)), { recursive: true });
    await copyFile(library, join(root, library));
  }
}

/**
 * The libraries that the binary is linked to, the name service modules that a glibc before 2.34 loads by name, and the parts of the C
 * library that other programs from npm are linked to (Deno).
 */
async function librariesOf(binary: string): Promise<string[]> {
  const listing = await runCommand('ldd', [binary], { timeoutMs: shortTimeoutMs });
  const linked = [...listing.matchAll(/(?:=> )?(\/\S+) \(0x/g)].map((match) => match[1] ?? '');
  const libc = linked.find((path) => path.includes('/libc.so')) ?? '/lib/libc.so.6';
  const names = ['libnss_dns.so.2', 'libnss_files.so.2', 'libresolv.so.2', 'librt.so.1', 'libutil.so.1'];
  const byName = names.map((name) => join(dirname(libc), name));
  const present = await Promise.all(
    byName.map((path) =>
      readFile(path).then(
        () => [path],
        () => [],
      ),
    ),
  );
  return [...linked, ...present.flat()];
}

async function addNpm(root: string): Promise<void> {
  const scratch = join(root, '.npm-install');
  await mkdir(scratch);
  await writeFile(join(scratch, 'package.json'), '{"private":true}');
  const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline', '--loglevel=error'];
  await runCommand('npm', ['install', ...flags, `npm@${npmVersion}`], {
    timeoutMs: npmInstallTimeoutMs,
    cwd: scratch,
  });
  await cp(join(scratch, 'node_modules/npm'), join(root, 'usr/local/lib/node_modules/npm'), {
    recursive: true,
  });
  for (const tool of ['npm', 'npx']) {
    await symlink(`../lib/node_modules/npm/bin/${tool}-cli.js`, join(root, 'usr/local/bin', tool));
  }
  await rm(scratch, { recursive: true });
}

async function addAccounts(root: string): Promise<void> {
  const users = [
    'root:x:0:0:root:/root:/bin/sh',
    `node:x:${nodeUserId}:${nodeUserId}::/home/node:/bin/sh`,
    'nobody:x:65534:65534:nobody:/nonexistent:/bin/false',
  ];
  const groups = ['root:x:0:', `node:x:${nodeUserId}:`, 'nogroup:x:65534:'];
  await writeFile(join(root, 'etc/passwd'), `${users.join('\n')}\n`);
  await writeFile(join(root, 'etc/group'), `${groups.join('\n')}\n`);
  await writeFile(join(root, 'etc/nsswitch.conf'), 'hosts: files dns\n');
}

/** Behaves as in the official image: `docker run image --version` and `docker run image app.js` are passed to node. */
async function addEntrypoint(root: string): Promise<void> {
  const script = [
    '#!/bin/sh',
    'set -e',
    'if [ "$' + '{1#-}" != "$1" ] || [ -z "$(command -v "$1")" ] || { [ -f "$1" ] && ! [ -x "$1" ]; }; then',
    '  set -- node "$@"',
    'fi',
    'exec "$@"',
    '',
  ];
  await writeFile(join(root, 'usr/local/bin/docker-entrypoint.sh'), script.join('\n'), { mode: 0o755 });
}

/** A host without the ca-certificates package has no bundle. Node then uses its built-in roots. */
const caCertificates = () => readFile(caBundle).catch(() => Buffer.alloc(0));
