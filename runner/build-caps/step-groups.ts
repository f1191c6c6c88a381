/**
 * The control groups that BuildKit creates: one for each running step of any build on this Docker. Their paths, by moby's
 * `newCgroupParent`, BuildKit's `GenerateSpec` and runc's cgroupfs manager, which are the same from Docker 20.10 to 28:
 *
 * - Docker with the cgroupfs driver: `docker/buildkit/<step>`.
 * - Docker with the systemd driver: BuildKit writes systemd's notation, `system.slice:docker:<step>`, but runs runc without its systemd
 *   driver, so the text becomes a directory's name, next to the group of Docker itself (version 2) or in it (version 1).
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CgroupTree } from './cgroup-tree.ts';

/** The parent of all steps with the cgroupfs driver. With the systemd driver they have no parent of their own. */
export const stepParent = 'docker/buildkit';

/** BuildKit's identity.NewID: containers have 64 hexadecimal digits instead, so that an app is never mistaken for a step. */
const step = /^[a-z0-9]{25}$/;
const stepBySystemd = /^[\w.-]+\.slice:docker:[a-z0-9]{25}$/;
/** The group in which systemd runs services. */
const systemSlice = 'system.slice';
const dockerService = /docker.*\.service$/;

/** @returns paths below the root of the memory controller; with the cgroupfs driver they are the same for the other controllers */
export function stepGroups({ memory }: CgroupTree): string[] {
  const inSlice = existsSync(join(memory, systemSlice)) ? directoriesIn(memory, systemSlice) : [];
  const services = inSlice.filter((name) => dockerService.test(name)).map((name) => join(systemSlice, name));
  const found = (parent: string, names: string[], shape: RegExp) =>
    names.filter((name) => shape.test(name)).map((name) => join(parent, name));
  return [
    ...found(stepParent, directoriesIn(memory, stepParent), step),
    ...found('', directoriesIn(memory, ''), stepBySystemd),
    ...found(systemSlice, inSlice, stepBySystemd),
    ...services.flatMap((service) => found(service, directoriesIn(memory, service), stepBySystemd)),
  ];
}

/** @returns null when the group no longer exists */
export function processesOf({ memory }: CgroupTree, group: string): number[] | null {
  try {
    return (readFileSync(join(memory, group, 'cgroup.procs'), 'utf8').match(/\d+/g) ?? []).map(Number);
  } catch {
    return null;
  }
}

/** The variables that a process was started with; empty when it has ended. */
export const environmentOf = (pid: number): string => read(`/proc/${pid}/environ`);

/** True while runc still prepares the step: its process will become the step's command. */
export const isBeingPrepared = (pid: number): boolean => read(`/proc/${pid}/comm`).startsWith('runc');

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function directoriesIn(root: string, parent: string): string[] {
  try {
    const entries = readdirSync(join(root, parent), { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch {
    return []; // not created yet, or not on this system
  }
}
