/** What a process takes, by /proc (proc(5)). */
import { readdirSync, readFileSync } from 'node:fs';

/** USER_HZ is 100 on every Linux that Node runs on. */
const tickMs = 10;

/** User and system time so far, in milliseconds. */
export function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}

/** Resident memory in MB. */
export function rssMb(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

/** Resident memory with shared pages divided among those who share them, in MB: of Node's own 58 MB every process counts all. */
export function pssMb(pid: number): number {
  const [, kilobytes] = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

/** Processes whose command line holds all of the words. */
export function processesWith(...words: string[]): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        return words.every((word) => command.includes(word));
      } catch {
        return false; // ended meanwhile
      }
    });
}
