/** Scheduled upgrades of hosts: the window, and the next step in a round of upgrades. */
import { z } from 'zod';
import type { RunnerFacts } from '../../../protocol/runner-facts.ts';
import { allDays, dailySpanFields, weeklySpanAt } from '../values/daily-span.ts';

/** The time window for upgrades. */
export const upgradeWindowSchema = z
  .strictObject({
    ...dailySpanFields,
    days: z
      .array(z.enum(allDays, `must be some of ${allDays.join(', ')}`))
      .min(1, 'must name a day')
      .max(allDays.length)
      .default([...allDays])
      .describe('The days on which it begins; all, if absent.'),
  })
  .refine(({ from, to }) => from !== to, {
    message: 'must differ from "from": the window has no length',
    path: ['to'],
  });
type UpgradeWindow = z.infer<typeof upgradeWindowSchema>;

/** Whether hosts may be upgraded at this moment. */
export const isUpgradeTime = (window: UpgradeWindow, now: number): boolean =>
  weeklySpanAt(window, now) !== undefined;

/** A host is back within a minute, and downloads take five minutes at most. */
const upgradeLimitMs = 15 * 60_000;
/** A host that has been connected for this long is considered healthy. */
const steadyMs = 60_000;

/** The host that a round upgrades, at the time of the request and now. */
export interface UpgradedHost {
  release: string;
  askedAt: number;
  /** Time of the record of its previous upgrade; `null` if it had none. */
  recordBefore: number | null;
  /** Why the request to upgrade could not be sent; `null` if it was sent. */
  trouble: string | null;
  isRevoked: boolean;
  /** Start of its connection; `null` while it is not connected. */
  connectedAt: number | null;
  facts: Pick<RunnerFacts, 'release' | 'lastUpgrade' | 'dockerVersion'>;
}

/** @returns `done`: the host has the release and is healthy; `waiting`; or the reason why its upgrade failed, as a sentence */
export function outcomeOf(host: UpgradedHost, now: number): 'done' | 'waiting' | { failed: string } {
  const { release, facts, connectedAt } = host;
  if (host.isRevoked) return 'done';
  const isUpgraded = facts.release === release;
  const isWell = connectedAt !== null && now - connectedAt >= steadyMs && facts.dockerVersion !== null;
  if (isUpgraded && isWell) return 'done';
  const record = facts.lastUpgrade;
  if (record && record.at !== host.recordBefore && !isUpgraded) {
    const installed = `It installed ${record.version}, but this control plane expects ${release}: was the control plane published whole?`;
    return { failed: record.ok ? installed : record.detail };
  }
  if (now - host.askedAt < upgradeLimitMs) return 'waiting';
  return { failed: lateSentence(host, isUpgraded) };
}

function lateSentence({ trouble, connectedAt, facts }: UpgradedHost, isUpgraded: boolean): string {
  if (trouble !== null) return `It could not be asked for 15 minutes: ${trouble}`;
  if (connectedAt === null) return 'It was not connected 15 minutes after it was asked.';
  if (!isUpgraded) return 'It did not have the release 15 minutes after it was asked.';
  return facts.dockerVersion === null
    ? 'It has the release, but its Docker does not answer.'
    : 'It has the release, but did not stay connected for a minute.';
}
