/** How long the data that a restore has put aside is kept: time to notice a mistake. */
const oldDataKeptMs = 24 * 3_600_000;
/** The version before an upgrade: an hour longer than the control plane takes an undo, so that one that begins at the last moment still ends. */
const oldVersionKeptMs = oldDataKeptMs + 3_600_000;

/** @param old with a volume: after an upgrade or its undo */
export const keptMsOf = (old: { volume?: string }): number =>
  old.volume === undefined ? oldDataKeptMs : oldVersionKeptMs;
