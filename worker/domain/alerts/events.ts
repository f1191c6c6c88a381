/** The events that are reported to the instance's webhook and to notification channels: their types, their content, and their retries. */

import { type Initiator, initiatorText } from '../access/initiator.ts';
import { alertText, isTenantRule } from './alerts.ts';

export const eventTypes = [
  'backup.failed',
  'backup.missed',
  'backup.recovered',
  'restore.failed',
  'import.failed',
  'drill.failed',
  'upgrade.failed',
  'run.failed',
  'run.recovered',
  'run.missed',
  'service.stopped',
  'service.crashed',
  'service.slept',
  'service.woke',
  'deployment.failed',
  'deployment.recovered',
  'deployment.withheld',
  'deployment.first_success',
  'host.away',
  'host.returned',
  'host.upgrade_failed',
  'host.trouble',
  'host.copied',
  'host.works',
  'alert.raised',
  'alert.resolved',
  'service.deleted',
  'service.restored',
  'service.purged',
  'project.deleted',
  'project.restored',
  'project.purged',
  'backup.deleted',
  'backup.restored',
  'backup.purged',
  'volume.deleted',
  'volume.restored',
  'volume.purged',
] as const;
export type EventType = (typeof eventTypes)[number];
/** What happens to a deletion, as the second half of its events' types. */
export type DeletionEvent = 'deleted' | 'restored' | 'purged';

/** Sent manually, to test the webhook. */
export const testEventType = 'webhook.test';

/** The content of an event. In a test event all ids are null. */
export interface EventFacts {
  id: string;
  type: EventType | typeof testEventType;
  /** Epoch milliseconds. */
  createdAt: number;
  tenantId: string | null;
  projectId: string | null;
  projectName: string | null;
  /** `null` or empty for a project or a host. */
  serviceId: string | null;
  /** The host's or tenant's name, for an event about one. */
  serviceName: string | null;
  resourceId: string | null;
  /** Set for events of a backup or a drill; the rule of an alert; why a service went to sleep or woke up. */
  trigger: string | null;
  /** Who started the job that the event is about, or deleted or restored the resource; `null` for other events. */
  startedBy: Initiator | null;
  error: string | null;
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** Waits after failed deliveries; the last one repeats. The first waits are short, for a receiver that is restarting. */
export const retryWaitsMs = [1, 5, 15, 30, 60, 120, 240].map((minutes) => minutes * minuteMs);
/** After this time the event is given up, and the audit log records it. */
export const giveUpAfterMs = dayMs;

/** The JSON that is sent, identical at each attempt. */
export function eventBody(event: EventFacts): string {
  const { id, type, tenantId, projectId, resourceId, trigger, startedBy, error } = event;
  const createdAt = new Date(event.createdAt).toISOString();
  const summary = summaryOf(event);
  return JSON.stringify({
    id,
    type,
    createdAt,
    tenantId,
    projectId: projectId || null,
    serviceId: event.serviceId || null,
    resourceId,
    trigger,
    startedBy,
    summary,
    error,
  });
}

/** A sentence about the event, for people, with the person or program that started it. */
export function summaryOf(event: EventFacts): string {
  const { startedBy, type } = event;
  const sentence = sentenceOf(event);
  if (startedBy === null || startedBy.type === 'platform' || startedBy.type === 'schedule') return sentence;
  const who = initiatorText(startedBy);
  const [, ending] = /\.(deleted|restored|purged)$/.exec(type) ?? [];
  return ending
    ? sentence.replace(` was ${ending}`, ` was ${ending} by ${who}`)
    : `${sentence} Started by ${who}.`;
}

function sentenceOf({ type, trigger, serviceName, projectName }: EventFacts): string {
  const database = `${serviceName} (project ${projectName})`;
  switch (type) {
    case 'backup.failed':
      return `The ${trigger} backup of ${database} failed.`;
    case 'backup.missed':
      return `A backup of ${database} was due, but did not succeed within a day.`;
    case 'backup.recovered':
      return `The ${trigger} backup of ${database} has succeeded again.`;
    case 'restore.failed':
      return `A restore into ${database} failed.`;
    case 'import.failed':
      return `An import into ${database} failed.`;
    case 'drill.failed':
      return `The restore drill of ${database} failed: its backup could not be verified.`;
    case 'upgrade.failed':
      return `The upgrade of ${database} failed: the version before keeps running.`;
    case 'run.failed':
      return `A command of ${database} failed.`;
    case 'run.recovered':
      return `A scheduled command of ${database} has succeeded again.`;
    case 'run.missed':
      return `A scheduled command of ${database} was not started at its times.`;
    case 'service.stopped':
      return `The host stopped a container of ${database}, which wrote more than its disk limit or the size of a volume.`;
    case 'service.crashed':
      return `A container of ${database} ended by itself and is restarted.`;
    case 'service.slept':
      return `${database} sleeps.`;
    case 'service.woke':
      return `${database} has woken.`;
    case 'deployment.failed':
      return `A deployment of ${database} failed.`;
    case 'deployment.withheld':
      return `A push to ${database} is not deployed.`;
    case 'deployment.recovered':
      return `A deployment of ${database} has succeeded again.`;
    case 'deployment.first_success':
      return `${database} runs for the first time.`;
    case 'host.away':
      return `The host ${serviceName} is not connected.`;
    case 'host.returned':
      return `The host ${serviceName} is connected again.`;
    case 'host.upgrade_failed':
      return `The upgrade of the host ${serviceName} failed, and no further host is upgraded.`;
    case 'host.trouble':
      return `The host ${serviceName} is connected, but does no work.`;
    case 'host.copied':
      return `Two machines have connected as the host ${serviceName}.`;
    case 'host.works':
      return `The host ${serviceName} works again.`;
    case 'alert.raised':
      return `${alertSubject(trigger, serviceName, projectName)}: ${alertText(trigger)}.`;
    case 'alert.resolved':
      return `Resolved: ${alertSubject(trigger, serviceName, projectName)}: ${alertText(trigger)}.`;
    case 'service.deleted':
    case 'service.restored':
    case 'service.purged':
      return `The service ${database} was ${endingOf(type)}.`;
    case 'project.deleted':
    case 'project.restored':
    case 'project.purged':
      return `The project ${projectName} was ${endingOf(type)}.`;
    case 'backup.deleted':
    case 'backup.restored':
    case 'backup.purged':
      return `A backup of ${database} was ${endingOf(type)}.`;
    case 'volume.deleted':
    case 'volume.restored':
    case 'volume.purged':
      return `A volume of ${database} was ${endingOf(type)}.`;
    case testEventType:
      return 'This is a test of the event webhook. No action is needed.';
  }
}

const alertSubject = (rule: string | null, name: string | null, project: string | null) =>
  isTenantRule(rule) ? `The tenant ${name}` : project ? `${name} (project ${project})` : `The host ${name}`;

const endingOf = (type: EventType) =>
  type.endsWith('.purged') ? "purged: it can't be restored any more" : type.slice(type.indexOf('.') + 1);
