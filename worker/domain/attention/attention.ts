/** Everything that is out of order now, worst first. */
import {
  type Attention,
  awayHost,
  failedBackup,
  failedDeployment,
  failedDrill,
  failedImageUpdate,
  failingChannel,
  OpenAlerts,
  openAlert,
  severities,
  troubled,
  troubledDomain,
  waitingJob,
  withheldPush,
} from './attention-items.ts';
import type { Found, HostRow } from './found-rows.ts';

/** A host that restarts its runner, or whose connection breaks for a moment, is back by then. */
const settleMs = 20_000;
/** Jobs of one host wait for one another. */
const waitMs = 5 * 60_000;

/** @param now epoch milliseconds @returns worst first; of equal severity the newest first, and what somebody has acknowledged last */
export function attentionOf(found: Found, now: number): Attention[] {
  const alerts = new OpenAlerts(found.alerts);
  const away = found.hosts.filter((host) => isAway(host) && now - (host.disconnectedAt ?? 0) >= settleMs);
  const items = [
    ...found.troubled.map((row) => troubled(row, alerts)),
    ...found.failed.map(failedDeployment),
    ...away.map((row) => awayHost(row, alerts)),
    ...found.domains.map((row) => troubledDomain(row, alerts)),
    ...found.backups.map((row) => failedBackup(row, alerts)),
    ...found.drills.map(failedDrill),
    ...found.withheld.map(withheldPush),
    ...found.imageUpdates.map(failedImageUpdate),
    ...found.channels.map(failingChannel),
    ...found.waiting.filter(({ queuedAt }) => now - queuedAt >= waitMs).map((row) => waitingJob(row, alerts)),
  ];
  return [...items, ...alerts.left().map(openAlert)].sort(worstFirst);
}

/** Whether hosts have just come or gone, so that the state of their services is not known yet. */
export const isSettling = ({ hosts }: Pick<Found, 'hosts'>, now: number): boolean =>
  hosts.some(({ connectedAt, disconnectedAt }) => now - (connectedAt ?? disconnectedAt ?? 0) < settleMs);

const isAway = ({ connectedAt, disconnectedAt }: HostRow) => connectedAt === null && disconnectedAt !== null;

const isHandled = ({ alert }: Attention) => alert !== null && alert.acknowledgedAt !== null;

function worstFirst(one: Attention, other: Attention): number {
  return (
    Number(isHandled(one)) - Number(isHandled(other)) ||
    severities.indexOf(one.severity) - severities.indexOf(other.severity) ||
    (other.since ?? 0) - (one.since ?? 0)
  );
}
