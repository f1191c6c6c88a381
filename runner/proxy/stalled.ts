/** Asks a program once more when the first question may have failed because this process itself was stalled. */

/** How much longer than its limit a question takes if this process had no processor. */
const stalledFactor = 1.5;

/**
 * @param ask answers `undefined` or false if nothing came within the limit; the answer may then have come in time, and was only read too late
 * @returns the first answer that says something, else the last one
 */
export async function askedAgainIfStalled<Answer>(
  ask: () => Promise<Answer>,
  limitMs: number,
): Promise<Answer> {
  const from = performance.now();
  const first = await ask();
  const isNone = first === undefined || first === false;
  return isNone && performance.now() - from > limitMs * stalledFactor ? ask() : first;
}
