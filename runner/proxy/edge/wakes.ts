/**
 * Requests sleeping services from the runner: one empty file each. The runner marks the files that it has seen, and removes them. So a file
 * that stays without a mark shows that no runner is running.
 */

const { statSync, writeFileSync } = process.getBuiltinModule('node:fs');

/** Caddy asks several times a second for each held request; the file is checked again only after this time. */
const againMs = 1_000;
/** The runner sees a new file within milliseconds. */
const unseenMs = 10_000;

/** The time of last change of a file that the runner has seen, in epoch milliseconds: set without writing, so also on a full disk. */
export const seenAt = 0;

/**
 * @param directory `undefined` to report nothing
 * @param now milliseconds of any monotonic clock
 * @returns a function that requests a service. It returns false if the runner has not seen an earlier question: then it is not running.
 */
export function wakeFiles(directory: string | undefined, now: () => number): (serviceId: string) => boolean {
  const told = new Map<string, { at: number; isHeard: boolean }>();
  return (serviceId) => {
    if (!directory) return true;
    const at = now();
    const before = told.get(serviceId);
    if (before && at - before.at < againMs) return before.isHeard;
    const isHeard = askFor(`${directory}/${serviceId}`);
    told.set(serviceId, { at, isHeard });
    return isHeard;
  };
}

function askFor(file: string): boolean {
  try {
    const asked = statSync(file, { throwIfNoEntry: false });
    if (asked) return asked.mtimeMs === seenAt || Date.now() - asked.mtimeMs < unseenMs;
    writeFileSync(file, '');
  } catch {
    // A full disk: the next question tries again.
  }
  return true;
}
