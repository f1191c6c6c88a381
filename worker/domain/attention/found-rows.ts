/** What the statements of `store/attention` find. Times are epoch milliseconds, flags 0 or 1. */
import type { ServiceKind } from '../services/service-kind.ts';

type Nullable<Fields> = { [Name in keyof Fields]: Fields[Name] | null };

export interface OfService {
  projectId: string;
  projectName: string;
  projectSlug: string;
  serviceId: string;
  serviceName: string;
  serviceSlug: string;
  serviceKind: ServiceKind;
}

export interface TroubledRow extends OfService {
  runtimeMode: string;
  crashed: number;
  reachable: number;
  updatedAt: number;
  /** A `ServiceTrouble` as JSON. */
  trouble: string | null;
  /** When the live version replaced the one before; null without a live version. */
  liveSince: number | null;
  /** The newest version before the live one whose image is kept; null: there is none. */
  previousId: string | null;
}

export interface FailedDeploymentRow extends OfService {
  deploymentId: string;
  trigger: string;
  commitSha: string | null;
  error: string | null;
  finishedAt: number;
  liveId: string | null;
  liveCommitSha: string | null;
  crashed: number;
  stopped: number;
}

export interface HostRow {
  runnerId: string;
  name: string;
  connectedAt: number | null;
  disconnectedAt: number | null;
  services: number;
}

export interface FailedDataRow extends OfService {
  id: string;
  error: string | null;
  at: number;
}

/** A push that was not deployed because of its checks. */
export interface WithheldPushRow extends OfService {
  commitSha: string;
  detail: string | null;
  createdAt: number;
}

export interface DomainRow extends OfService {
  domainId: string;
  hostname: string;
  status: 'pending' | 'active';
  isVerified: number;
  detail: string | null;
  /** A `CertificateState` as JSON. */
  certificate: string | null;
  createdAt: number;
}

export interface WaitingJobRow extends OfService {
  jobId: string;
  kind: string;
  queuedAt: number;
  hostName: string;
}

export interface ChannelFailureRow {
  channelId: string;
  name: string;
  projectId: string | null;
  failure: string;
  /** The first notification that did not arrive since the last one that did. */
  since: number;
}

/** An open alert; the fields of `OfService` are null if it is about a host or a tenant. */
export interface OpenAlertRow extends Nullable<OfService> {
  id: string;
  rule: string;
  subjectId: string;
  name: string;
  detail: string;
  raisedAt: number;
  acknowledgedAt: number | null;
}

export interface Found {
  troubled: TroubledRow[];
  failed: FailedDeploymentRow[];
  hosts: HostRow[];
  backups: FailedDataRow[];
  drills: FailedDataRow[];
  withheld: WithheldPushRow[];
  imageUpdates: FailedDataRow[];
  domains: DomainRow[];
  waiting: WaitingJobRow[];
  channels: ChannelFailureRow[];
  alerts: OpenAlertRow[];
}
