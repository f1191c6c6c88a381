/** How often lines of a log that is read are sent: less often while the day's budget of object requests runs low. */

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
