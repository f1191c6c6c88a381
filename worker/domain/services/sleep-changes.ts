/** Changes in a host's reports about a sleeping service: it fell asleep or woke up since the previous report. */
import type { SleepHistory } from '../../../protocol/observed/observed-service.ts';

export interface SleepChange {
  type: 'service.slept' | 'service.woke';
  trigger: 'idle' | 'request' | 'deployment';
  /** The time and the reason. */
  sentence: string;
}

/**
 * @param from the previous report; null if it had not slept
 * @param to null if the running version has not slept
 * @returns in the order in which they happened. If the service woke up several times between two reports, only the last time is included: the host
 * stores no more.
 */
export function sleepChanges(from: SleepHistory | null, to: SleepHistory | null): SleepChange[] {
  const sleptBefore = from?.asleepSince ?? null;
  if (to === null)
    return sleptBefore === null ? [] : [wokenBy('deployment', 'A new version took its place.')];
  const { asleepSince, lastWokeAt } = to;
  const slept = asleepSince === null || asleepSince === sleptBefore ? [] : [fellAsleep(asleepSince)];
  if (lastWokeAt === null || lastWokeAt === (from?.lastWokeAt ?? null)) {
    const isUndone = sleptBefore !== null && asleepSince === null;
    return isUndone ? [wokenBy('request', 'A request came while it fell asleep.')] : slept;
  }
  const woke = [wokenBy('request', `At ${utc(lastWokeAt)}: ${waited(to)}.`)];
  return asleepSince !== null && asleepSince < lastWokeAt ? [...slept, ...woke] : [...woke, ...slept];
}

const fellAsleep = (at: number): SleepChange => ({
  type: 'service.slept',
  trigger: 'idle',
  sentence: `Since ${utc(at)}: nobody had asked for it.`,
});

const wokenBy = (trigger: SleepChange['trigger'], sentence: string): SleepChange => ({
  type: 'service.woke',
  trigger,
  sentence,
});

const waited = ({ lastWakeMs }: SleepHistory) =>
  lastWakeMs === null ? 'a request woke it' : `a request woke it, and waited for ${lastWakeMs} ms`;

const utc = (at: number) => `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
