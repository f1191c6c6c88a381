/** Faults of a machine. Each returns when the machine is in order again, and says when a boot began. */
import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import {
  copyMachine,
  cutPower,
  inMachine,
  removeMachine,
  setLink,
  startMachine,
  stopMachine,
  until,
} from '../machine.ts';
import { type MachinePlaces, machinePlaces } from '../places.ts';
import { api, type Json } from './api.ts';

/** Epoch milliseconds of the boot that it has caused. */
export type Fault = (machine: MachinePlaces, draw: () => number) => Promise<number | undefined>;

const rebootLimitMs = 120_000;
const fullForMs = 10_000;
const leftBytes = 4 * 2 ** 20;
/** A runner that is told of another process ends at once. */
const oneLeftLimitMs = 60_000;

export const faults: Record<string, Fault> = {
  async 'power cut'(machine) {
    await cutPower(machine);
    const begins = Date.now();
    await startMachine(machine);
    return begins;
  },
  async reboot(machine) {
    const before = await boots(machine);
    await inMachine(machine, ['systemctl', 'reboot']);
    await until(
      `the reboot of ${machine.name}`,
      async () => (await boots(machine)).length > before.length,
      rebootLimitMs,
    );
    return Number((await boots(machine)).at(-1)) * 1_000;
  },
  async 'cut link'(machine, draw) {
    await setLink(machine, false);
    await pause(3_000 + draw() * 20_000);
    await setLink(machine, true);
    return undefined;
  },
  async 'Docker restart'(machine) {
    await inMachine(machine, ['systemctl', 'restart', 'docker']);
    return undefined;
  },
  /** It takes connections, and answers none of them. */
  async 'hanging Docker'(machine, draw) {
    await inMachine(machine, ['pkill', '-STOP', '-x', 'dockerd']);
    await pause(5_000 + draw() * 70_000);
    await inMachine(machine, ['pkill', '-CONT', '-x', 'dockerd']);
    return undefined;
  },
  /** Its disk is copied and both boot. The copy, whose runner started later, is the host until it is taken away. */
  async 'copied disk'(machine) {
    const copy = machinePlaces(`${machine.name}copy`.slice(0, 10));
    await removeMachine(copy);
    await stopMachine(machine);
    await copyMachine(machine.name, copy.name);
    try {
      await startMachine(machine);
      await untilRunner(machine, 'active');
      await startMachine(copy);
      await untilRunner(machine, 'failed');
      await untilRunner(copy, 'active');
      await until('the warning', async () => isToldCopied(machine), oneLeftLimitMs);
    } finally {
      await removeMachine(copy);
    }
    await inMachine(machine, ['systemctl', 'restart', 'longshore-runner']);
    return undefined;
  },
  async 'process kill'(machine, draw) {
    const names = ['runner.mjs run', 'edge.mjs', 'caddy'];
    const name = names[Math.floor(draw() * names.length)] ?? '';
    await inMachine(machine, ['pkill', '-KILL', '-f', name]).catch(() => {});
    return undefined;
  },
  async 'full disk'(machine) {
    const fill = `fallocate -l $(( $(df --output=avail -B1 / | tail -1) - ${leftBytes} )) /filler`;
    await inMachine(machine, ['sh', '-c', fill]);
    await pause(fullForMs);
    await inMachine(machine, ['rm', '-f', '/filler']);
    return undefined;
  },
};

async function isToldCopied({ name }: MachinePlaces): Promise<boolean> {
  const { runners } = await api('GET', '/api/system/runners');
  return /^Two machines/.test(runners.findLast((one: Json) => one.name === name).warning ?? '');
}

async function untilRunner(machine: MachinePlaces, wanted: 'active' | 'failed'): Promise<void> {
  const ask = ['systemctl', 'show', '--property=ActiveState', '--value', 'longshore-runner'];
  const look = async () => (await inMachine(machine, ask).catch(() => '')).trim() === wanted;
  await until(`the runner of ${machine.name} to be ${wanted}`, look, oneLeftLimitMs);
}

const boots = async (machine: MachinePlaces) => (await readFile(machine.boots, 'utf8')).trim().split('\n');
