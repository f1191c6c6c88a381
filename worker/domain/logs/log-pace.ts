/** The pace at which log lines are sent to readers: slower while the day's budget of object requests is low, or readers are behind. */

export interface DayUse {
  /** Requests to objects today, estimated from samples. */
  used: number;
  /** The setting `objectRequestsPerDay`; `null` without a limit. */
  budget: number | null;
}

/** The pace of a host without other instructions. */
export const normalPaceMs = 250;

/** Slower paces by used share of the budget, because an exhausted budget stops hosts, builds and all logs until the next day. */
const steps = [
  { from: 0.8, paceMs: 5_000 },
  { from: 0.5, paceMs: 1_000 },
] as const;

/** Milliseconds between the frames of a log that has readers. */
export function paceMsOf({ used, budget }: DayUse): number {
  const share = budget === null ? 0 : used / budget;
  return steps.find(({ from }) => share >= from)?.paceMs ?? normalPaceMs;
}

/** Whether the operator should be warned, because logs have the slowest pace. */
export const isBudgetLow = (use: DayUse): boolean => paceMsOf(use) === steps[0].paceMs;

/** A message to a reader costs about 0.2 ms: with 100 readers, each gets 20 messages a second at any number of frames. */
const intervalMsPerReader = 0.5;
/** With few readers, slow ones delay the others only a little. */
const overloadedMsMin = 100;
/** The longest delay of a line. Readers are informed that lines arrive in larger pieces. */
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
 * When more than a quarter of the readers are behind, the machine can't send more messages, so each message has to contain more. When
 * no reader is behind, messages are sent more often again.
 */
export function doublingsAfter(doublings: number, behind: number, readers: number): number {
  if (behind * 4 > readers && readers > 1) return Math.min(doublings + 1, doublingsMax);
  return behind === 0 ? Math.max(0, doublings - 1) : doublings;
}

/** Starting at 100 ms, this many doublings reach the longest interval. */
const doublingsMax = Math.ceil(Math.log2(intervalMsMax / overloadedMsMin));
