/** The time that the replaced data of a restore is kept: enough to notice a mistake. */
const oldDataKeptMs = 24 * 3_600_000;
/**
 * The version before an upgrade is kept an hour longer than the control plane accepts an undo, so an undo at the last moment can finish.
 */
const oldVersionKeptMs = oldDataKeptMs + 3_600_000;

/** @param old `volume`: after an upgrade or its undo; `isLoaded`: it was never live */
export function keptMsOf({ volume, isLoaded = false }: { volume?: string; isLoaded?: boolean }): number {
  if (isLoaded) return 0;
  return volume === undefined ? oldDataKeptMs : oldVersionKeptMs;
}
