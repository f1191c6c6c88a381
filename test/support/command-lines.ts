/** The command lines of all processes, from /proc: a small Debian has no `ps`. */
import { readdirSync, readFileSync } from 'node:fs';

/** Arguments joined by spaces; empty for a process that has ended. */
export function commandLines(): string[] {
  return processes().map(commandLine).filter(isKnown);
}

/**
 * The command lines of the processes in a running container, `docker exec` included. `docker top` would call the host's `ps`.
 * @throws Error when the container has none, because it has ended
 */
export function commandLinesInContainer(id: string): string[] {
  // The path of the control group ends in the id, in a form that depends on Docker's cgroup driver.
  const inside = processes().filter((pid) => fileOf(pid, 'cgroup').includes(id));
  if (inside.length === 0) throw new Error(`no process runs in container ${id}`);
  return inside.map(commandLine).filter(isKnown);
}

const processes = () => readdirSync('/proc').filter((name) => /^\d+$/.test(name));

const commandLine = (pid: string) => fileOf(pid, 'cmdline').replaceAll('\0', ' ').trimEnd();

const isKnown = (line: string) => line !== '';

function fileOf(pid: string, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return ''; // it ended after the directory was read
  }
}
