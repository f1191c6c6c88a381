/** The command lines of all processes, from /proc: a small Debian has no `ps`. */
import { readdirSync, readFileSync } from 'node:fs';

/** Arguments with a space between them; none of a process that has ended. */
export function commandLines(): string[] {
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return processes.map(commandLine).filter((line) => line !== '');
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trimEnd();
  } catch {
    return ''; // it ended after the directory was read
  }
}
