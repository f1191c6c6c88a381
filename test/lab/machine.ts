/**
 * A machine: systemd as process 1 in namespaces of its own, its root on a loop device, an address on the bridge. It boots in seconds on
 * this computer's kernel (docs/design/lab.md says what therefore is not real).
 */
import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../../local/setup/command.ts';
import { StartError } from '../../local/start-error.ts';
import { cutProgram } from '../support/power-cut-disk.ts';
import { ensureImage, personalise } from './image.ts';
import { ip, networkUp } from './network.ts';
import { addressOf, labDirectory, type MachinePlaces, machinePlaces, network } from './places.ts';

const timeoutMs = 60_000;
const copyTimeoutMs = 300_000;
const bootTimeoutMs = 120_000;
const pollMs = 50;
const script = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** @throws StartError when a machine of this name exists */
export async function makeMachine(release: string, name: string): Promise<void> {
  const places = machinePlaces(name);
  if (existsSync(places.disk))
    throw new StartError(
      'option',
      `There is a machine "${name}" already. Remove it: npm run lab -- remove ${name}`,
    );
  await makeFromDisk(places, await ensureImage(release));
}

/** A second machine with the content of the first one's disk, which must be off. */
export async function copyMachine(from: string, name: string): Promise<void> {
  const source = machinePlaces(from);
  if (await isOn(source))
    throw new StartError('option', `"${from}" is on: stop it before its disk is copied.`);
  await makeFromDisk(machinePlaces(name), source.disk);
}

async function makeFromDisk(places: MachinePlaces, disk: string): Promise<void> {
  await mkdir(places.root, { recursive: true });
  await writeFile(places.number, String(await freeNumber()));
  await runCommand('cp', ['--sparse=always', '--reflink=auto', disk, places.disk], {
    timeoutMs: copyTimeoutMs,
  });
  await mountDisk(places);
  try {
    await personalise(places.root, places.name, addressOf(places));
  } finally {
    await unmountDisk(places);
  }
}

async function freeNumber(): Promise<number> {
  const all = join(labDirectory, 'machines');
  const names = await readdir(all);
  const numbers = names.map((name) => readFile(join(all, name, 'number'), 'utf8').catch(() => ''));
  const taken = new Set((await Promise.all(numbers)).map(Number));
  for (let number = 11; number < 250; number++) if (!taken.has(number)) return number;
  throw new StartError('option', 'The network of the lab has no free address.');
}

/** Boots it and returns at once; `untilBooted` waits. */
export async function startMachine(places: MachinePlaces): Promise<void> {
  addressOf(places);
  if (await isOn(places)) return;
  await networkUp();
  await mountDisk(places);
  const group = join(await controlGroups(), places.namespace);
  await mkdir(group, { recursive: true });
  await rm(places.off, { force: true });
  await rm(places.pid, { force: true });
  const console = openSync(places.console, 'a');
  const args = [
    script('power.sh'),
    places.directory,
    places.name,
    places.namespace,
    group,
    script('boot.sh'),
    network.bridge,
  ];
  const power = spawn('sh', args, { detached: true, stdio: ['ignore', console, console] });
  closeSync(console);
  power.unref();
  await until(`process 1 of ${places.name}`, () => processOne(places), bootTimeoutMs);
}

/** Waits until systemd says that the boot is over. @throws Error after two minutes */
export async function untilBooted(places: MachinePlaces): Promise<string> {
  return await until(
    `the boot of ${places.name}`,
    async () => {
      const state = await inMachine(places, ['systemctl', 'is-system-running']).catch((error) =>
        /degraded/.test(String(error.message)) ? 'degraded' : String(error.stdout ?? ''),
      );
      return /running|degraded/.exec(state)?.[0];
    },
    bootTimeoutMs,
  );
}

/**
 * Takes its power: what is not on its disk yet is lost, as is what the disk's journal has not been told to keep. The disk first, then the
 * processes, so that nothing which they still write counts.
 */
export async function cutPower(places: MachinePlaces): Promise<void> {
  await writeFile(places.off, '');
  await shutDownFileSystem(places.root);
  await endProcesses(places);
  // A container of this computer that starts meanwhile has the old mount among its own for a moment, and as long as it does the kernel
  // would mount the same file system again, still without power. A copy of the disk is another one.
  const copy = `${places.disk}.copy`;
  await runCommand('cp', ['--sparse=always', places.disk, copy], { timeoutMs: copyTimeoutMs });
  await rename(copy, places.disk);
}

/** Ends it without a shutdown, but keeps what it has written. */
export async function stopMachine(places: MachinePlaces): Promise<void> {
  await writeFile(places.off, '');
  await runCommand('sync', ['--file-system', places.root], { timeoutMs });
  await endProcesses(places);
}

/** @param isOn false is a cable that is pulled */
export async function setLink(places: MachinePlaces, isOn: boolean): Promise<void> {
  await ip('link', 'set', places.namespace, isOn ? 'up' : 'down');
}

export async function removeMachine(places: MachinePlaces): Promise<void> {
  if (await isOn(places)) await stopMachine(places);
  await rm(places.directory, { recursive: true, force: true });
}

/** Runs a program in it, as root. @returns its standard output @throws CommandFailed */
export async function inMachine(
  places: MachinePlaces,
  command: readonly string[],
  options: { timeoutMs?: number; env?: Record<string, string> } = {},
): Promise<string> {
  const [file = '', ...args] = await entering(places, command, options.env);
  return await runCommand(file, args, { timeoutMs: options.timeoutMs ?? timeoutMs });
}

/** The command of this computer that runs a command in the machine. @throws StartError when it is off */
export async function entering(
  places: MachinePlaces,
  command: readonly string[],
  env: Record<string, string> = {},
): Promise<string[]> {
  const pid = await processOne(places);
  if (pid === undefined)
    throw new StartError('option', `"${places.name}" is off: npm run lab -- start ${places.name}`);
  const variables = {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: '/root',
    TERM: process.env.TERM ?? 'dumb',
    ...env,
  };
  const assignments = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  const namespaces = ['--mount', '--uts', '--ipc', '--net', '--pid', '--cgroup'];
  return ['nsenter', `--target=${pid}`, ...namespaces, '--wdns=/', 'env', '-i', ...assignments, ...command];
}

export const isOn = async (places: MachinePlaces) => (await processOne(places)) !== undefined;

/** Its systemd, as a process of this computer. */
async function processOne(places: MachinePlaces): Promise<number | undefined> {
  const parent = Number(await readFile(places.pid, 'utf8').catch(() => '0'));
  if (parent === 0) return undefined;
  const children = await readFile(`/proc/${parent}/task/${parent}/children`, 'utf8').catch(() => '');
  const pid = Number(children.trim().split(' ')[0]);
  if (pid === 0 || Number.isNaN(pid)) return undefined;
  const name = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '');
  return /^(systemd|init)$/.test(name.trim()) ? pid : undefined;
}

async function endProcesses(places: MachinePlaces): Promise<void> {
  const parent = Number(await readFile(places.pid, 'utf8').catch(() => '0'));
  const children = await readFile(`/proc/${parent}/task/${parent}/children`, 'utf8').catch(() => '');
  const pid = Number(children.trim().split(' ')[0]);
  if (pid > 0) process.kill(pid, 'SIGKILL');
  // While power.sh has not looked yet, it would take the next start for its own, and boot from the disk as the cut left it.
  const power = Number(await readFile(places.power, 'utf8').catch(() => '0'));
  for (const id of [parent, power].filter((one) => one > 0))
    await until(`the end of ${places.name}`, async () => !existsSync(`/proc/${id}`), timeoutMs);
  await ip('netns', 'delete', places.namespace).catch(() => {});
  await unmountDisk(places);
  await removeGroups(join(await controlGroups(), places.namespace));
}

/** What was not flushed yet is lost from now on. */
async function shutDownFileSystem(root: string): Promise<void> {
  await runCommand('perl', ['-e', cutProgram, root], { timeoutMs });
}

async function mountDisk(places: MachinePlaces): Promise<void> {
  if (await isMounted(places.root)) return;
  await runCommand('mount', ['-o', 'loop', places.disk, places.root], { timeoutMs });
}

async function unmountDisk(places: MachinePlaces): Promise<void> {
  await until(
    `the disk of ${places.name} to be free`,
    async () => {
      await runCommand('umount', [places.root], { timeoutMs }).catch(() => {});
      return !(await isMounted(places.root));
    },
    timeoutMs,
  );
}

async function isMounted(directory: string): Promise<boolean> {
  const mounts = await readFile('/proc/self/mounts', 'utf8');
  return mounts.split('\n').some((line) => line.split(' ')[1] === directory);
}

/** The hierarchy of version 2, beside version 1 on some computers. */
async function controlGroups(): Promise<string> {
  const hybrid = '/sys/fs/cgroup/unified';
  return existsSync(hybrid) ? hybrid : '/sys/fs/cgroup';
}

async function removeGroups(group: string): Promise<void> {
  for (const entry of await readdir(group, { withFileTypes: true }).catch(() => []))
    if (entry.isDirectory()) await removeGroups(join(group, entry.name));
  await rmdir(group).catch(() => {});
}

/** @throws Error that names what did not come */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined | false>,
  limitMs: number,
): Promise<T> {
  const endsAt = performance.now() + limitMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > endsAt) throw new Error(`${what}: not within ${limitMs / 1000} s`);
    await pause(pollMs);
  }
}
