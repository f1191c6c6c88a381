/** Disks of machines: a minimal Debian server with systemd as an ext4 image, made once for each release. */
import { existsSync } from 'node:fs';
import { appendFile, cp, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installPackages } from '../../local/setup/apt.ts';
import { mirrorIn } from '../../local/setup/apt-mirror.ts';
import { canRun, runCommand } from '../../local/setup/command.ts';
import { StartError } from '../../local/start-error.ts';
import { copyRegistryAccess, registryAccess } from '../bare-machine/registry-access.ts';
import { imagePath, labDirectory, network, releases } from './places.ts';

/** Of a server as providers install it, apart from the kernel, which is this computer's. */
const packages = [
  'systemd-sysv',
  'dbus',
  'ca-certificates',
  'curl',
  'iproute2',
  'iputils-ping',
  'procps',
  'kmod',
  'less',
  'cron',
];
/** Packages of their own only in newer releases. */
const perRelease: Record<string, string[]> = { bookworm: [], trixie: [], forky: [] };
const makeTimeoutMs = 1_200_000;
const diskBytes = 14 * 2 ** 30;
/** Units that would reach this computer's kernel, or wait for hardware. */
const maskedUnits = [
  'systemd-udevd.service',
  'systemd-udevd-kernel.socket',
  'systemd-udevd-control.socket',
  'systemd-modules-load.service',
  'systemd-journald-audit.socket',
  'systemd-networkd-wait-online.service',
  'systemd-timesyncd.service',
  'console-getty.service',
  'getty@tty1.service',
  'apt-daily.timer',
  'apt-daily-upgrade.timer',
];

/**
 * Makes the image of a release unless it exists. It has no address yet: `prepareDisk` of a machine gives it one.
 * @throws StartError for an unknown release; CommandFailed
 */
export async function ensureImage(release: string): Promise<string> {
  if (releases[release] === undefined)
    throw new StartError('option', `"${release}" is not one of ${Object.keys(releases).join(', ')}.`);
  const image = imagePath(release);
  if (existsSync(image)) return image;
  if (!(await canRun('mmdebstrap', ['--version'])))
    await installPackages(['mmdebstrap', 'debian-archive-keyring'], []);
  await mkdir(join(labDirectory, 'images'), { recursive: true });
  const tree = join(labDirectory, 'images', `${release}.tree`);
  await rm(tree, { recursive: true, force: true });
  try {
    await makeTree(release, tree);
    await makeDisk(tree, image);
  } finally {
    await rm(tree, { recursive: true, force: true });
  }
  return image;
}

async function makeTree(release: string, tree: string): Promise<void> {
  const mirror = await mirrorIn('/etc/apt');
  const access = await registryAccess();
  // A mirror that is frozen at a day serves expired lists.
  const options = ['APT::Install-Recommends "false"', 'Acquire::Check-Valid-Until "false"'];
  const include = [...packages, ...(perRelease[release] ?? [])].join(',');
  await runCommand(
    'mmdebstrap',
    [
      '--quiet',
      '--mode=root',
      '--variant=minbase',
      ...options.map((option) => `--aptopt=${option}`),
      `--include=${include}`,
      release,
      tree,
      mirror,
    ],
    { timeoutMs: makeTimeoutMs },
  );
  await writeFile(join(tree, 'etc/apt/sources.list'), sources(release, mirror));
  await copyRegistryAccess(access, tree);
  await appendFile(join(tree, 'etc/apt/apt.conf.d/99host'), 'Acquire::Check-Valid-Until "false";\n');
  await trustAuthorities(tree);
  await setUpSystemd(tree);
  await writeFile(join(tree, 'etc/fstab'), '');
}

function sources(release: string, mirror: string): string {
  const security = mirror.replace(/\/debian\/?$/, '/debian-security');
  const stable = [`deb ${mirror} ${release}-updates main`, `deb ${security} ${release}-security main`];
  return [`deb ${mirror} ${release} main`, ...(release === 'forky' ? [] : stable), ''].join('\n');
}

/** The certificate authorities that the owner of this computer has added: the way to the mirror may need them. */
async function trustAuthorities(tree: string): Promise<void> {
  const own = '/usr/local/share/ca-certificates';
  const found = (await readdir(own).catch(() => [])).filter((name) => name.endsWith('.crt'));
  if (found.length === 0) return;
  for (const name of found) await cp(join(own, name), join(tree, own, name), { recursive: true });
  await runCommand('chroot', [tree, 'update-ca-certificates'], { timeoutMs: makeTimeoutMs });
}

async function setUpSystemd(tree: string): Promise<void> {
  for (const unit of maskedUnits)
    await runCommand('ln', ['-sf', '/dev/null', join(tree, 'etc/systemd/system', unit)], {
      timeoutMs: 5_000,
    });
  const journal = join(tree, 'etc/systemd/journald.conf.d');
  await mkdir(journal, { recursive: true });
  await mkdir(join(tree, 'var/log/journal'), { recursive: true });
  await writeFile(join(journal, 'lab.conf'), '[Journal]\nReadKMsg=no\nAudit=\nStorage=persistent\n');
}

async function makeDisk(tree: string, image: string): Promise<void> {
  const unfinished = `${image}.new`;
  await rm(unfinished, { force: true });
  await runCommand('truncate', ['-s', String(diskBytes), unfinished], { timeoutMs: 5_000 });
  await runCommand('mke2fs', ['-q', '-t', 'ext4', '-d', tree, unfinished], { timeoutMs: makeTimeoutMs });
  await rename(unfinished, image);
}

/** Writes what differs between machines into the mounted disk of one. */
export async function personalise(root: string, name: string, address: string): Promise<void> {
  await writeFile(join(root, 'etc/hostname'), `${name}\n`);
  await writeFile(join(root, 'etc/hosts'), `127.0.0.1 localhost ${name}\n${network.gateway} control-plane\n`);
  await rm(join(root, 'etc/resolv.conf'), { force: true });
  await cp('/etc/resolv.conf', join(root, 'etc/resolv.conf'), { dereference: true });
  const unit = `[Unit]
Description=The address of this machine in the lab
DefaultDependencies=no
Before=network.target
Wants=network.target
After=systemd-sysctl.service
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/sbin/ip link set lo up
ExecStart=/sbin/ip address replace ${address}/24 dev eth0
ExecStart=/sbin/ip link set eth0 up
ExecStart=/sbin/ip route replace default via ${network.gateway}
[Install]
WantedBy=sysinit.target
`;
  const units = join(root, 'etc/systemd/system');
  await writeFile(join(units, 'lab-network.service'), unit);
  await mkdir(join(units, 'sysinit.target.wants'), { recursive: true });
  const link = join(units, 'sysinit.target.wants/lab-network.service');
  await runCommand('ln', ['-sf', '../lab-network.service', link], { timeoutMs: 5_000 });
}
