/** Events, and the outboxes of their receivers. */
import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { comparisons, type RuleMetric } from '../../../protocol/metrics/own-rules.ts';
import type { Initiator } from '../../domain/access/initiator.ts';
import type { AlertRule } from '../../domain/alerts/alerts.ts';
import { type EventType, eventTypes } from '../../domain/alerts/events.ts';
import { channelKinds, type QuietHours } from '../../domain/alerts/notifications/channel-fields.ts';
import { flag, json, moment, sealedText } from './columns.ts';
import { tenants } from './tenants.ts';

/**
 * Events, which are the outbox of the event webhook as well. Rows are written in the same batch as the fact that they report, and only if
 * the webhook or a notification channel receives them. No foreign keys, so that events outlive their subjects.
 */
export const events = sqliteTable(
  'events',
  {
    id: text('id').primaryKey(),
    type: text('type', { enum: eventTypes }).notNull(),
    tenantId: text('tenant_id').notNull(),
    /** Empty if the event is about a host. */
    projectId: text('project_id').notNull(),
    /** Empty for an event about a project or a host; for a project, so is the name. */
    serviceId: text('service_id').notNull(),
    /** Names at the time of the event. For an event about a host, the service's name is the host's name. */
    projectName: text('project_name').notNull(),
    serviceName: text('service_name').notNull(),
    /**
     * The failed backup, restore or import; the backup that failed a drill; the deleted, restored or purged resource; the host; otherwise the
     * service.
     */
    resourceId: text('resource_id').notNull(),
    /** Set for events of a backup or a drill. */
    trigger: text('trigger'),
    /** Who started the job that the event is about; `null` for other events. */
    startedBy: json<Initiator>('started_by'),
    error: text('error'),
    attempts: integer('attempts').notNull().default(0),
    /** Set by each claim, so that no other run takes the event before that time; `null` after delivery or giving up. */
    nextAttemptAt: moment('next_attempt_at'),
    /** Why the last delivery failed. */
    lastFailure: text('last_failure'),
    deliveredAt: moment('delivered_at'),
    createdAt: moment('created_at').notNull(),
  },
  (table) => [
    index('events_next_attempt').on(table.nextAttemptAt).where(sql`next_attempt_at is not null`),
    index('events_created').on(table.createdAt),
  ],
);

/**
 * Conditions that need attention, from their beginning to their end. No foreign keys, so that the history outlives its subjects. Each
 * row has the ids of its two events from the start, so that none is raised twice.
 */
export const alerts = sqliteTable(
  'alerts',
  {
    id: text('id').primaryKey(),
    /** A default rule, or the id of a user's own rule. */
    rule: text('rule').notNull(),
    /** The service, host or domain of the alert; for a quota: its tenant, `/` and the quota's name. */
    subjectId: text('subject_id').notNull(),
    tenantId: text('tenant_id').notNull(),
    /** Empty for a host or a tenant; so is the service's id. */
    projectId: text('project_id').notNull(),
    serviceId: text('service_id').notNull(),
    /** The host that sees the condition; empty for cron. */
    runnerId: text('runner_id').notNull(),
    /** Name of the service, host or tenant at the beginning. */
    name: text('name').notNull(),
    /** A sentence with the numbers at the beginning. */
    detail: text('detail').notNull(),
    endEventId: text('end_event_id').notNull(),
    /** Whether the beginning raised an event; otherwise it was silenced, and the end raises none either. */
    isTold: flag('is_told').notNull(),
    raisedAt: moment('raised_at').notNull(),
    resolvedAt: moment('resolved_at'),
    /** A key or `operator`. */
    acknowledgedBy: text('acknowledged_by'),
    acknowledgedAt: moment('acknowledged_at'),
    silencedBy: text('silenced_by'),
    /** Until this time neither the end nor a new beginning of the same condition raises an event. */
    silencedUntil: moment('silenced_until'),
    /** The event that reports that the condition flaps; `null` if it does not. A flapping alert ends after an hour without the condition. */
    flapEventId: text('flap_event_id'),
    /** Time since which the condition of a flapping alert is absent; `null` while it holds. */
    absentSince: moment('absent_since'),
  },
  (table) => [
    uniqueIndex('alerts_open').on(table.subjectId, table.rule).where(sql`resolved_at is null`),
    index('alerts_of_host').on(table.runnerId, table.rule).where(sql`resolved_at is null`),
    index('alerts_open_of_tenant').on(table.tenantId, table.raisedAt).where(sql`resolved_at is null`),
    index('alerts_tenant').on(table.tenantId, table.raisedAt),
    index('alerts_raised').on(table.raisedAt),
    index('alerts_condition').on(table.subjectId, table.rule, table.raisedAt),
    index('alerts_absent').on(table.absentSince).where(sql`absent_since is not null`),
    index('alerts_silenced')
      .on(table.subjectId, table.rule, table.silencedUntil)
      .where(sql`silenced_until is not null`),
  ],
);

/**
 * Users' own alert rules. No foreign keys, so that they exist again when their project is restored. They are removed when the project
 * can't be restored any more.
 */
export const alertRuleRows = sqliteTable(
  'alert_rules',
  {
    id: text('id').primaryKey(),
    /** Empty for an operator's rule about hosts. */
    projectId: text('project_id').notNull(),
    /** The only service that it applies to; empty for all of the project. */
    serviceId: text('service_id').notNull(),
    /** For a rule about hosts: the only host that it applies to; empty for all. */
    runnerId: text('runner_id').notNull(),
    name: text('name').notNull(),
    metric: text('metric').$type<RuleMetric>().notNull(),
    comparison: text('comparison', { enum: comparisons }).notNull(),
    threshold: real('threshold').notNull(),
    forSeconds: integer('for_seconds').notNull(),
    enabled: flag('enabled').notNull(),
    createdAt: moment('created_at').notNull(),
    updatedAt: moment('updated_at').notNull(),
  },
  (table) => [index('alert_rules_project').on(table.projectId, table.createdAt)],
);

/** Default rules that are switched off: of a project, or of the instance (an empty project). */
export const alertSwitches = sqliteTable(
  'alert_switches',
  {
    projectId: text('project_id').notNull(),
    rule: text('rule').$type<AlertRule>().notNull(),
    offSince: moment('off_since').notNull(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.rule] })],
);

/** A tenant's receivers of events. */
export const notificationChannels = sqliteTable(
  'notification_channels',
  {
    id: text('id').primaryKey(),
    tenantId: text('tenant_id')
      .notNull()
      .references(() => tenants.id),
    /**
     * The only project whose events the channel receives; `null`: all projects of the tenant. No foreign key, so that the channel can
     * report the deletion of the project, and exists again when the project is restored. It is removed when the project can't be restored
     * any more.
     */
    projectId: text('project_id'),
    name: text('name').notNull(),
    kind: text('kind', { enum: channelKinds }).notNull(),
    /** The part of the configuration that may be shown. */
    target: text('target').notNull(),
    /** The configuration (domain/notifications), with its tokens and secret addresses. */
    sealedConfig: sealedText('sealed_config').notNull(),
    /** Types of events that the channel receives; `*`: all. */
    events: json<(EventType | '*')[]>('events').notNull(),
    quietHours: json<QuietHours>('quiet_hours'),
    enabled: flag('enabled').notNull(),
    createdAt: moment('created_at').notNull(),
    updatedAt: moment('updated_at').notNull(),
  },
  (table) => [
    uniqueIndex('notification_channels_name').on(table.tenantId, table.name),
    index('notification_channels_project').on(table.projectId),
  ],
);

/**
 * The outbox of the channels: one row for each event and each channel that receives it. A trigger on `events` writes them, in the batch
 * of the fact that they report.
 */
export const notifications = sqliteTable(
  'notifications',
  {
    channelId: text('channel_id')
      .notNull()
      .references(() => notificationChannels.id, { onDelete: 'cascade' }),
    eventId: text('event_id')
      .notNull()
      .references(() => events.id, { onDelete: 'cascade' }),
    attempts: integer('attempts').notNull().default(0),
    /** Set by each claim, so that no other run takes the row before that time; `null` after delivery or giving up. */
    nextAttemptAt: moment('next_attempt_at'),
    /** Why the last delivery failed. */
    lastFailure: text('last_failure'),
    deliveredAt: moment('delivered_at'),
    createdAt: moment('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.channelId, table.eventId] }),
    index('notifications_event').on(table.eventId),
    index('notifications_channel').on(table.channelId, table.createdAt),
    index('notifications_next_attempt').on(table.nextAttemptAt).where(sql`next_attempt_at is not null`),
  ],
);
