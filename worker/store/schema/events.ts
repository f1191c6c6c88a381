/** Events, and the outboxes of those who are told of them. */
import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { comparisons, type RuleMetric } from '../../../protocol/metrics/own-rules.ts';
import type { AlertRule } from '../../domain/events/alerts.ts';
import { type EventType, eventTypes } from '../../domain/events/events.ts';
import { channelKinds, type QuietHours } from '../../domain/events/notifications/channel-fields.ts';
import { flag, json, moment, sealedText } from './columns.ts';
import { tenants } from './tenants.ts';

/**
 * Events, which are the outbox of the event webhook as well. Rows are written in the same batch as the fact that they report, and only if
 * the webhook or a notification channel gets them. They have no foreign keys, so that they outlive what they refer to.
 */
export const events = sqliteTable(
  'events',
  {
    id: text('id').primaryKey(),
    type: text('type', { enum: eventTypes }).notNull(),
    tenantId: text('tenant_id').notNull(),
    /** Empty if the event is about a host. */
    projectId: text('project_id').notNull(),
    /** Empty if the event is about a project, as is the name, or about a host. */
    serviceId: text('service_id').notNull(),
    /** Names at the time of the event. An event about a host has the host's name as that of the service. */
    projectName: text('project_name').notNull(),
    serviceName: text('service_name').notNull(),
    /** The failed backup, restore or import; the backup that a drill could not verify; what was deleted, restored or purged; the host; otherwise the service. */
    resourceId: text('resource_id').notNull(),
    /** Set for events of a backup or a drill. */
    trigger: text('trigger'),
    error: text('error'),
    /** Number of delivery attempts. */
    attempts: integer('attempts').notNull().default(0),
    /** Set by each claim, so that no other run takes the event before that time; null once delivered or given up. */
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
 * Conditions that need attention, from when they were seen until they are over. No foreign keys, so that the history outlives what it is
 * about. Each has the ids of its two events from the start, so that none is raised twice.
 */
export const alerts = sqliteTable(
  'alerts',
  {
    id: text('id').primaryKey(),
    /** A default rule, or the id of one that somebody made. */
    rule: text('rule').notNull(),
    /** The service, host or domain that it is about; of a quota: its tenant, `/` and its name. */
    subjectId: text('subject_id').notNull(),
    tenantId: text('tenant_id').notNull(),
    /** Empty if it is about a host or a tenant, as is that of the service. */
    projectId: text('project_id').notNull(),
    serviceId: text('service_id').notNull(),
    /** The host that sees it; empty if cron does. */
    runnerId: text('runner_id').notNull(),
    /** Name of the service, host or tenant at its begin. */
    name: text('name').notNull(),
    /** A sentence with the numbers of its begin. */
    detail: text('detail').notNull(),
    endEventId: text('end_event_id').notNull(),
    /** Whether its begin was an event; otherwise it was silenced, and its end is none either. */
    isTold: flag('is_told').notNull(),
    raisedAt: moment('raised_at').notNull(),
    resolvedAt: moment('resolved_at'),
    /** A key or `operator`. */
    acknowledgedBy: text('acknowledged_by'),
    acknowledgedAt: moment('acknowledged_at'),
    silencedBy: text('silenced_by'),
    /** Until then neither its end nor a new begin of the same is an event. */
    silencedUntil: moment('silenced_until'),
    /** The event that says that the condition comes and goes; null: it does not. Such an alert ends once the condition was absent for an hour. */
    flapEventId: text('flap_event_id'),
    /** Since when the condition of an alert that flaps is absent; null: it holds. */
    absentSince: moment('absent_since'),
  },
  (table) => [
    uniqueIndex('alerts_open').on(table.subjectId, table.rule).where(sql`resolved_at is null`),
    index('alerts_of_host').on(table.runnerId, table.rule).where(sql`resolved_at is null`),
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
 * Alert rules that people made. No foreign keys, so that they are there again when their project is restored. They are removed once it
 * can't be restored.
 */
export const alertRuleRows = sqliteTable(
  'alert_rules',
  {
    id: text('id').primaryKey(),
    /** Empty: a rule of the operator about hosts. */
    projectId: text('project_id').notNull(),
    /** The only service that it watches; empty: all of the project. */
    serviceId: text('service_id').notNull(),
    /** Of a rule about hosts: the only one; empty: all. */
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

/** Where a tenant is told of its events. */
export const notificationChannels = sqliteTable(
  'notification_channels',
  {
    id: text('id').primaryKey(),
    tenantId: text('tenant_id')
      .notNull()
      .references(() => tenants.id),
    /**
     * The only project whose events it gets; null: all projects of the tenant. No foreign key, so that it can report that the project was
     * deleted, and is there again when the project is restored. It is removed once the project can't be restored.
     */
    projectId: text('project_id'),
    name: text('name').notNull(),
    kind: text('kind', { enum: channelKinds }).notNull(),
    /** The part of the configuration that is shown. */
    target: text('target').notNull(),
    /** The configuration (domain/notifications), with its tokens and secret addresses. */
    sealedConfig: sealedText('sealed_config').notNull(),
    /** Types of events that it gets; `*`: all. */
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
 * The outbox of the channels: one row for each event and each channel that gets it. A trigger on `events` writes them, so they are in the
 * batch of the fact that they report.
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
    /** Number of delivery attempts. */
    attempts: integer('attempts').notNull().default(0),
    /** Set by each claim, so that no other run takes it before that time; null once delivered or given up. */
    nextAttemptAt: moment('next_attempt_at'),
    /** Why the last delivery failed. */
    lastFailure: text('last_failure'),
    deliveredAt: moment('delivered_at'),
    createdAt: moment('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.channelId, table.eventId] }),
    index('notifications_event').on(table.eventId),
    index('notifications_next_attempt').on(table.nextAttemptAt).where(sql`next_attempt_at is not null`),
  ],
);
