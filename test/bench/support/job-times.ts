/** When a runner's jobs enter their phases, read in its journal while it works: what the API tells comes a round trip later. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const pollIntervalMs = 10;

export interface JobTimes {
  /** From the first phase to the end. */
  totalMs: number;
  /** Milliseconds in each phase. */
  phases: Record<string, number>;
}

/**
 * Follows the next job of the runner from now on.
 * @param work asks for the job, and waits for its end
 */
export async function jobTimes(dataDirectory: string, work: () => Promise<unknown>): Promise<JobTimes> {
  const journal = new DatabaseSync(join(dataDirectory, 'runner', 'journal.db'), { readOnly: true });
  const running = journal.prepare(`SELECT phase FROM jobs WHERE state = 'running' AND phase IS NOT NULL`);
  const entered: { phase: string; at: number }[] = [];
  let endedAt: number | undefined;
  const look = () => {
    const at = performance.now();
    const phase = running.get()?.phase;
    if (typeof phase === 'string') {
      if (entered.at(-1)?.phase !== phase) entered.push({ phase, at });
    } else if (entered.length > 0) endedAt ??= at;
  };
  const timer = setInterval(look, pollIntervalMs);
  try {
    await work();
    look();
  } finally {
    clearInterval(timer);
    journal.close();
  }
  const end = endedAt ?? performance.now();
  const phases = entered.map(({ phase, at }, index) => [phase, (entered[index + 1]?.at ?? end) - at]);
  return { totalMs: end - (entered[0]?.at ?? end), phases: Object.fromEntries(phases) };
}
