/** Tells the runner which services that are asleep were asked for: one empty file each, which it removes. */

const { writeFileSync } = process.getBuiltinModule('node:fs');

/** Caddy asks ten times a second for each held request; the file is made again only after this time. */
const againMs = 1_000;

/**
 * @param directory undefined: nobody is told
 * @param now milliseconds of any monotonic clock
 */
export function wakeFiles(directory: string | undefined, now: () => number): (serviceId: string) => void {
  const told = new Map<string, number>();
  return (serviceId) => {
    const at = now();
    if (!directory || at - (told.get(serviceId) ?? Number.NEGATIVE_INFINITY) < againMs) return;
    told.set(serviceId, at);
    try {
      writeFileSync(`${directory}/${serviceId}`, '');
    } catch {
      // A full disk: the next question tries again.
      told.delete(serviceId);
    }
  };
}
