/** What is said about each thing that is out of order: what, its effect, since when, and the action to begin with. */
import type { CertificateState } from '../../../protocol/domain-state.ts';
import { isOwnRule } from '../../../protocol/metrics/alerts.ts';
import type { ServiceTrouble } from '../../../protocol/service-trouble.ts';
import type {
  ChannelFailureRow,
  DomainRow,
  FailedDataRow,
  FailedDeploymentRow,
  HostRow,
  OfService,
  OpenAlertRow,
  TroubledRow,
  WaitingJobRow,
  WithheldPushRow,
} from './found-rows.ts';

/** `down`: visitors or jobs are affected now. `failing`: something does not work, and what is live serves. `warning`: it needs care soon. */
export const severities = ['down', 'failing', 'warning'] as const;
export type Severity = (typeof severities)[number];

export const attentionKinds = [
  'service',
  'deployment',
  'push',
  'image-update',
  'host',
  'alert',
  'channel',
  'backup',
  'restore-test',
  'domain',
  'queue',
] as const;
export type AttentionKind = (typeof attentionKinds)[number];

/** The first thing to do. */
export const attentionActions = [
  'explain',
  'rollback',
  'logs',
  'metrics',
  'host',
  'channel',
  'database-backups',
  'volume-backups',
  'domain',
  'deployments',
] as const;
export type AttentionAction = (typeof attentionActions)[number];

export interface Attention {
  kind: AttentionKind;
  severity: Severity;
  /** Name of the service, host or channel. */
  name: string;
  what: string;
  /** What it means for users; null if `what` says it. */
  effect: string | null;
  /** Epoch milliseconds; null if the begin is not known. */
  since: number | null;
  action: AttentionAction;
  projectId: string | null;
  projectSlug: string | null;
  serviceId: string | null;
  serviceSlug: string | null;
  /** The deployment, alert, host, channel, backup, restore test, domain or job. */
  resourceId: string;
  /** The open alert about it. */
  alert: OpenAlertRow | null;
}

/** A version that crashes within this time after it went live is probably the cause. */
const recentMs = 60 * 60_000;
const commitOf = (sha: string | null) => (sha === null ? 'The live version' : sha.slice(0, 7));

/** Open alerts; one that is about another item is shown with the item. */
export class OpenAlerts {
  readonly #open: OpenAlertRow[];
  readonly #taken = new Set<string>();

  constructor(open: readonly OpenAlertRow[]) {
    this.#open = [...open];
  }

  take(subjectId: string, ...rules: string[]): OpenAlertRow | null {
    const found = this.#open.filter((one) => one.subjectId === subjectId && rules.includes(one.rule));
    for (const { id } of found) this.#taken.add(id);
    return found[0] ?? null;
  }

  left(): OpenAlertRow[] {
    return this.#open.filter(({ id }) => !this.#taken.has(id));
  }
}

const ofService = ({ serviceName: name, projectId, projectSlug, serviceId, serviceSlug }: OfService) => ({
  ...{ name, projectId, projectSlug, serviceId, serviceSlug },
});
const backupsOf = ({ serviceKind }: Pick<OpenAlertRow, 'serviceKind'>): AttentionAction =>
  serviceKind === 'database' ? 'database-backups' : 'volume-backups';
const ofNoService = { projectId: null, projectSlug: null, serviceId: null, serviceSlug: null };

export function troubled(row: TroubledRow, alerts: OpenAlerts): Attention {
  const trouble = row.trouble === null ? null : (JSON.parse(row.trouble) as ServiceTrouble);
  const crashedAt = trouble?.crash?.at ?? row.updatedAt;
  const alert = row.crashed ? alerts.take(row.serviceId, 'restarts', 'outOfMemory') : null;
  const isNew = row.liveSince !== null && crashedAt - row.liveSince < recentMs;
  const canGoBack = row.crashed === 1 && isNew && row.previousId !== null && row.serviceKind !== 'database';
  const isDown = row.crashed === 1 && row.reachable === 0;
  return {
    ...ofService(row),
    kind: 'service',
    severity: isDown ? 'down' : 'failing',
    what: trouble?.sentence ?? 'It has crashed.',
    effect: isDown ? downOf(row) : 'It still answers.',
    since: Math.min(alert?.raisedAt ?? crashedAt, crashedAt),
    action: canGoBack ? 'rollback' : 'explain',
    resourceId: canGoBack && row.previousId !== null ? row.previousId : row.serviceId,
    alert,
  };
}

function downOf({ serviceKind, runtimeMode }: TroubledRow): string {
  if (serviceKind === 'database') return 'Its apps can not reach it.';
  return runtimeMode === 'worker' ? 'It does no work.' : 'Visitors get no answer.';
}

export function failedDeployment(row: FailedDeploymentRow): Attention {
  const { trigger, commitSha, liveId } = row;
  const subject =
    trigger === 'restart' ? 'The restart' : trigger === 'rollback' ? 'The rollback' : 'The newest deployment';
  const ofCommit = commitSha === null ? '' : ` of ${commitSha.slice(0, 7)}`;
  return {
    ...ofService(row),
    kind: 'deployment',
    severity: liveId === null ? 'down' : 'failing',
    what: `${subject}${ofCommit} failed${row.error === null ? '.' : `: ${row.error}`}`,
    effect: stateOfLive(row),
    since: row.finishedAt,
    action: 'explain',
    resourceId: row.deploymentId,
    alert: null,
  };
}

function stateOfLive({ liveId, liveCommitSha, crashed, stopped }: FailedDeploymentRow): string {
  if (liveId === null) return 'Nothing is live.';
  if (stopped) return 'The service is stopped.';
  return crashed ? 'The live version has crashed.' : `${commitOf(liveCommitSha)} keeps serving.`;
}

export function awayHost(
  { runnerId, name, disconnectedAt, services }: HostRow,
  alerts: OpenAlerts,
): Attention {
  return {
    ...ofNoService,
    kind: 'host',
    severity: 'down',
    name,
    what: `The host is not connected: ${services === 1 ? '1 service is' : `${services} services are`} on it.`,
    effect: 'They keep serving as long as the machine runs, and deployments wait.',
    since: disconnectedAt ?? 0,
    action: 'host',
    resourceId: runnerId,
    alert: alerts.take(runnerId, 'hostAway'),
  };
}

export function troubledDomain(row: DomainRow, alerts: OpenAlerts): Attention {
  const certificate = row.certificate === null ? null : (JSON.parse(row.certificate) as CertificateState);
  const isActive = row.status === 'active' && row.isVerified === 1;
  const alert = alerts.take(row.domainId, 'certificate');
  const reason = isActive ? certificate?.detail : row.detail;
  return {
    ...ofService(row),
    kind: 'domain',
    severity: isActive ? 'failing' : 'warning',
    what: `${row.hostname} ${isActive ? 'gets no certificate' : row.isVerified === 1 ? 'does not point to the host' : 'is not verified'}${reason ? `: ${reason}` : '.'}`,
    effect: isActive ? 'Browsers warn of it once its certificate ends.' : 'It is not served.',
    // Nobody notes when an order began to fail.
    since: isActive ? (alert?.raisedAt ?? null) : row.createdAt,
    action: 'domain',
    resourceId: row.domainId,
    alert,
  };
}

export function failedBackup(row: FailedDataRow, alerts: OpenAlerts): Attention {
  return {
    ...ofService(row),
    kind: 'backup',
    severity: 'failing',
    what: `The newest backup failed${row.error === null ? '.' : `: ${row.error}`}`,
    effect: 'Changes since the backup before it are not saved anywhere else.',
    since: row.at,
    action: backupsOf(row),
    resourceId: row.id,
    alert: alerts.take(row.serviceId, 'backupAge'),
  };
}

export function failedDrill(row: FailedDataRow): Attention {
  return {
    ...ofService(row),
    kind: 'restore-test',
    severity: 'failing',
    what: `The newest backup could not be restored in its test${row.error === null ? '.' : `: ${row.error}`}`,
    effect: 'A restore of it would fail.',
    since: row.at,
    action: backupsOf(row),
    resourceId: row.id,
    alert: null,
  };
}

export function withheldPush(row: WithheldPushRow): Attention {
  return {
    ...ofService(row),
    kind: 'push',
    severity: 'failing',
    what: `The push of ${row.commitSha.slice(0, 7)} was not deployed${row.detail === null ? '.' : `: ${row.detail}`}`,
    effect: 'The version before it stays live.',
    since: row.createdAt,
    action: 'deployments',
    resourceId: row.serviceId,
    alert: null,
  };
}

export function failedImageUpdate(row: FailedDataRow): Attention {
  return {
    ...ofService(row),
    kind: 'image-update',
    severity: 'failing',
    what: `The newest image was not kept${row.error === null ? '.' : `: ${row.error}`}`,
    effect: null,
    since: row.at,
    action: 'deployments',
    resourceId: row.serviceId,
    alert: null,
  };
}

export function failingChannel({ channelId, name, projectId, failure, since }: ChannelFailureRow): Attention {
  return {
    ...{ ...ofNoService, projectId },
    kind: 'channel',
    severity: 'failing',
    name,
    what: `Notifications do not arrive: ${failure}`,
    effect: 'Nobody is told of trouble through it.',
    since,
    action: 'channel',
    resourceId: channelId,
    alert: null,
  };
}

export function waitingJob(row: WaitingJobRow, alerts: OpenAlerts): Attention {
  const words =
    row.kind === 'deploy' ? 'A deployment' : row.kind === 'run' ? 'A command' : `A job (${row.kind})`;
  return {
    ...ofService(row),
    kind: 'queue',
    severity: 'warning',
    what: `${words} waits, although ${row.hostName} is connected.`,
    effect: null,
    since: row.queuedAt,
    action: 'deployments',
    resourceId: row.jobId,
    alert: alerts.take(row.serviceId, 'queue'),
  };
}

const failingRules = ['restarts', 'outOfMemory', 'quotaRefused', 'queue', 'hostAway'];

export function openAlert(alert: OpenAlertRow): Attention {
  const isFailing = failingRules.includes(alert.rule) || isOwnRule(alert.rule);
  return {
    kind: 'alert',
    severity: isFailing ? 'failing' : 'warning',
    name: alert.name,
    what: alert.detail,
    effect: null,
    since: alert.raisedAt,
    action:
      alert.rule === 'backupAge' ? backupsOf(alert) : alert.rule === 'certificate' ? 'domain' : 'metrics',
    projectId: alert.projectId,
    projectSlug: alert.projectSlug,
    serviceId: alert.serviceId,
    serviceSlug: alert.serviceSlug,
    resourceId: alert.id,
    alert,
  };
}
