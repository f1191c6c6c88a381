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

/** Resident memory of one process in MB: its own (anonymous) pages, and the pages of each file that it has mapped. */
export interface ResidentPages {
  ownMb: number;
  filesMb: Map<string, number>;
}

/** Reads /proc/<pid>/smaps. Pages of a file are shared with all processes that map it: of Node's 48 MB every Node counts all. */
export function residentPages(pid: number): ResidentPages {
  const pages: ResidentPages = { ownMb: 0, filesMb: new Map() };
  let file = '';
  for (const line of readFileSync(`/proc/${pid}/smaps`, 'utf8').split('\n')) {
    const mapping = /^[0-9a-f]+-[0-9a-f]+ \S+ \S+ \S+ \d+ *(.*)$/.exec(line);
    if (mapping) file = mapping[1] ?? '';
    const [, name, kilobytes] = /^(Rss|Anonymous):\s+(\d+) kB$/.exec(line) ?? [];
    const megabytes = Number(kilobytes) / 1024;
    if (name === 'Anonymous') pages.ownMb += megabytes;
    // Pages of a file that a process has written to are its own.
    if (name && file.startsWith('/')) {
      const share = name === 'Rss' ? megabytes : -megabytes;
      pages.filesMb.set(file, (pages.filesMb.get(file) ?? 0) + share);
    }
  }
  return pages;
}

/** What several processes take together when pages of files that they share count once, in MB. */
export function countedOnceMb(processes: readonly ResidentPages[]): number {
  const files = new Map<string, number>();
  for (const { filesMb } of processes) {
    for (const [file, megabytes] of filesMb) files.set(file, Math.max(files.get(file) ?? 0, megabytes));
  }
  const own = processes.reduce((sum, { ownMb }) => sum + ownMb, 0);
  return own + [...files.values()].reduce((sum, megabytes) => sum + megabytes, 0);
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
