/** Events of the instance as its webhook tells them: which there are, in which words, and how often the telling is tried. */

export const eventTypes = [
  'backup.failed',
  'backup.missed',
  'restore.failed',
  'import.failed',
  'drill.failed',
] as const;
export type EventType = (typeof eventTypes)[number];

/** Sent by hand, to see whether the webhook works. */
export const testEventType = 'webhook.test';

/** What an event tells. All ids are null in a test. */
export interface EventFacts {
  id: string;
  type: EventType | typeof testEventType;
  /** Epoch milliseconds. */
  createdAt: number;
  tenantId: string | null;
  projectId: string | null;
  projectName: string | null;
  serviceId: string | null;
  serviceName: string | null;
  resourceId: string | null;
  /** Of a backup or a drill. */
  trigger: string | null;
  error: string | null;
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** After each failed delivery, the last one again and again: soon for a receiver that starts anew, seldom for one that is gone. */
export const retryWaitsMs = [1, 5, 15, 30, 60, 120, 240].map((minutes) => minutes * minuteMs);
/** What could not be told by then is left to the audit log. */
export const giveUpAfterMs = dayMs;

/** The JSON that is sent: the same text at each attempt. */
export function eventBody(event: EventFacts): string {
  const { id, type, tenantId, projectId, serviceId, resourceId, trigger, error } = event;
  const createdAt = new Date(event.createdAt).toISOString();
  const summary = summaryOf(event);
  return JSON.stringify({
    id,
    type,
    createdAt,
    tenantId,
    projectId,
    serviceId,
    resourceId,
    trigger,
    summary,
    error,
  });
}

/** One sentence for a person. */
export function summaryOf({ type, trigger, serviceName, projectName }: EventFacts): string {
  const database = `${serviceName} (project ${projectName})`;
  switch (type) {
    case 'backup.failed':
      return `The ${trigger} backup of ${database} failed.`;
    case 'backup.missed':
      return `A backup of ${database} was due and has not succeeded within a day.`;
    case 'restore.failed':
      return `A restore into ${database} failed.`;
    case 'import.failed':
      return `An import into ${database} failed.`;
    case 'drill.failed':
      return `The restore drill of ${database} failed: its backup could not be proven.`;
    case testEventType:
      return 'This is a test of the event webhook: nothing has happened.';
  }
}
