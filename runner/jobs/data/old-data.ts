/** How long the data that a restore has put aside is kept: time to notice a mistake. */
export const oldDataKeptMs = 24 * 3_600_000;
