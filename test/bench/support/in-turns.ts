/** Rounds of two ways to do the same. Which of them comes first changes, so that what else the machine does falls on both. */
export async function inTurns(
  rounds: number,
  byHand: () => Promise<void>,
  ours: () => Promise<void>,
): Promise<void> {
  for (let index = 0; index < rounds; index++) {
    for (const turn of index % 2 === 0 ? [byHand, ours] : [ours, byHand]) await turn();
  }
}
