import { rssMb } from './process-use.ts';

const pollIntervalMs = 50;

/** Resident memory of a process from now on, in MB. */
export function watchRss(pid: number) {
  const before = rssMb(pid);
  let max = before;
  const timer = setInterval(() => {
    max = Math.max(max, rssMb(pid));
  }, pollIntervalMs);
  return {
    /** The most since the last call, and begins anew. */
    take() {
      const seen = Math.max(max, rssMb(pid));
      max = 0;
      return seen;
    },
    before,
    stop: () => clearInterval(timer),
  };
}
