/** Repeats a question to a program if the first one may have failed because this process itself was stalled. */

/** The duration of a question, relative to its limit, that shows that this process had no processor. */
const stalledFactor = 1.5;

/**
 * @param ask returns `undefined` or false if there was no answer within the limit; the answer may have arrived in time, but was read too late
 * @returns the first real answer, or else the last one
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
