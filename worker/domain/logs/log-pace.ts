/** How often lines of a log that is read are sent: less often while the day's budget of object requests runs low, or readers are behind. */

export interface DayUse {
  /** Requests to objects today, by samples. */
  used: number;
  /** The setting `objectRequestsPerDay`; null: no limit. */
  budget: number | null;
}

/** What a host does when nothing is said. */
export const normalPaceMs = 250;

/** From this part of the budget on, in steps: a budget that is spent stops hosts, builds and all logs until the next day. */
const steps = [
  { from: 0.8, paceMs: 5_000 },
  { from: 0.5, paceMs: 1_000 },
] as const;

/** Milliseconds between the frames of a log that is read. */
export function paceMsOf({ used, budget }: DayUse): number {
  const share = budget === null ? 0 : used / budget;
  return steps.find(({ from }) => share >= from)?.paceMs ?? normalPaceMs;
}

/** Whether the operator should look: logs have the slowest pace. */
export const isBudgetLow = (use: DayUse): boolean => paceMsOf(use) === steps[0].paceMs;

/** A message to a reader costs about 0.2 ms: with 100 readers, each gets 20 messages a second, however many frames there are. */
const intervalMsPerReader = 0.5;
/** With few readers, a few of them that are slow slow the others down by little. */
const overloadedMsMin = 100;
/** Readers are told that lines come in larger pieces; nobody waits for lines longer than this. */
const intervalMsMax = 1_000;

/**
 * Milliseconds between two messages to each reader of a log.
 * @param doublings of `doublingsAfter`
 */
export function messageIntervalMs(readers: number, doublings: number): number {
  const usual = readers * intervalMsPerReader;
  if (doublings === 0) return usual;
  return Math.min(intervalMsMax, Math.max(usual, overloadedMsMin) * 2 ** doublings);
}

/**
 * When more than a quarter of the readers have not taken what they were sent, it is not they who are slow: the machine carries no more
 * messages, and each has to hold more. When nobody is behind, messages come more often again.
 */
export function doublingsAfter(doublings: number, behind: number, readers: number): number {
  if (behind * 4 > readers && readers > 1) return Math.min(doublings + 1, doublingsMax);
  return behind === 0 ? Math.max(0, doublings - 1) : doublings;
}

/** From 100 ms on, this many reach the longest interval. */
const doublingsMax = Math.ceil(Math.log2(intervalMsMax / overloadedMsMin));
