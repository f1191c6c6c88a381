/** What a restore has put aside stays as long: time to notice a mistake. */
export const oldDataKeptMs = 24 * 3_600_000;
