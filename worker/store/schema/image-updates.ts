import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { UpdateAttempt, UpdateOutcome } from '../../domain/image-updates/image-update.ts';
import { json, moment } from './columns.ts';
import { services } from './services.ts';

/** Services whose setting `imageUpdates` is set: what their registry said, and the update that is under way. */
export const imageUpdates = sqliteTable(
  'image_updates',
  {
    serviceId: text('service_id')
      .primaryKey()
      .references(() => services.id, { onDelete: 'cascade' }),
    /** The image that the digest belongs to: that of the service may have changed since. */
    imageRef: text('image_ref').notNull(),
    /** The digest that the tag has; `null` until the registry has answered. */
    digest: text('digest'),
    /** When the tag first had it. */
    seenAt: moment('seen_at'),
    /** The digest that needs nothing more: it is live, or its update has ended. */
    handledDigest: text('handled_digest'),
    /** The last answer of the registry; `null` without one. */
    checkedAt: moment('checked_at'),
    /** When the registry is asked next. */
    checkAt: moment('check_at').notNull(),
    /** Questions without an answer since the last one with an answer. */
    failures: integer('failures').notNull().default(0),
    /** Why there was no answer, as a sentence; `null` if there was one. */
    trouble: text('trouble'),
    /** The update that is under way. */
    attempt: json<UpdateAttempt>('attempt'),
    /** How the last update ended. */
    outcome: json<UpdateOutcome>('outcome'),
    /** No update begins before; `null`: no limit. */
    retryAt: moment('retry_at'),
    /** When cron takes the next step; `null`: nothing to do. A claim moves it by a minute. */
    actAt: moment('act_at'),
    updatedAt: moment('updated_at').notNull(),
  },
  (table) => [index('image_updates_check').on(table.checkAt), index('image_updates_act').on(table.actAt)],
);
