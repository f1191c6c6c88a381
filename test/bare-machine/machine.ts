/**
 * Runs a command in a root folder as if it were a machine: own processes, mounts, network, host name and control groups.
 * It is root in there, and its dockerd, firewall rules and mounts are not seen by the host. slirp4netns gives it a
 * network without a change to the host's: a process that forwards connections as its own.
 */
import { readlink } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type Undo, undoStack } from '../../local/undo.ts';
import { until } from '../support/runner/until.ts';
import { makeControlGroups, removeControlGroups } from './control-groups.ts';
import { type TiedProcess, tiedProcess } from './tied-process.ts';

export interface MachineOptions {
  root: string;
  /** The whole environment of the command, and its working directory. */
  env: Record<string, string>;
  directory: string;
  signal: AbortSignal;
}

const enter = fileURLToPath(new URL('enter.sh', import.meta.url));

/** @returns the exit code. When it returns, no process, mount and control group of the machine is left. */
export async function runInMachine(
  command: string[],
  { root, env, directory, signal }: MachineOptions,
): Promise<number> {
  const undo = undoStack((name, error) => console.error(`could not undo "${name}": ${String(error)}`));
  try {
    const groupName = `longshore-bare-${process.pid}`;
    undo.add('control groups', () => removeControlGroups(groupName));
    const groups = await makeControlGroups(groupName);
    const assignments = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    const inside = ['env', '--ignore-environment', `--chdir=${directory}`, ...assignments, ...command];
    const machine = tiedProcess('bash', [enter, root, ...inside], {
      env: { ...process.env, CONTROL_GROUPS: groups.join(' ') },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    undo.add('machine', () => machine.end());
    await connect(undo, machine);
    return await Promise.race([machine.ended, interruption(signal)]);
  } finally {
    await undo.run();
  }
}

/** What a shell reports for Ctrl-C. */
const interruptedCode = 130;

function interruption(signal: AbortSignal): Promise<number> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(interruptedCode);
    signal.addEventListener('abort', () => resolve(interruptedCode), { once: true });
  });
}

/** Gives the machine's network namespace a way out. boot.sh waits for it, and fails without it. */
async function connect(undo: Undo, machine: TiedProcess): Promise<void> {
  const own = await readlink('/proc/self/ns/net');
  await until('the network namespace of the machine', async () => {
    if (!machine.isRunning()) return true;
    const network = await readlink(`/proc/${machine.pid}/ns/net`).catch(() => own);
    return network !== own;
  });
  if (!machine.isRunning()) return;
  // The services on the host's own loopback are out of reach.
  const options = ['--configure', '--mtu=65520', '--disable-host-loopback'];
  const network = tiedProcess('slirp4netns', [...options, String(machine.pid), 'tap0'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let isWanted = true;
  undo.add('network', () => {
    isWanted = false;
    return network.end();
  });
  void network.ended.then(() => {
    if (isWanted) console.error(`slirp4netns has ended: ${network.said()}`);
  });
}
