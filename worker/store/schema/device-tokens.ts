import { index, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { apiKeys } from './api-keys.ts';
import { json, moment } from './columns.ts';

/** The description that a device gives of itself, for the person who allows its sign-in. */
export interface DeviceDescription {
  name: string;
  /** Version of the command line. */
  version: string;
}

/**
 * Secrets of devices that sign in by a member's browser. The first row of a device waits for the member, without a session; each later one belongs to
 * the session, and replaces the one before. Used rows remain, so that a second use is noticed.
 */
export const deviceTokens = sqliteTable(
  'device_tokens',
  {
    /** The public part of the token. */
    tokenId: text('token_id').primaryKey(),
    /** SHA-256 of the token's secret part, hex. */
    secretHash: text('secret_hash').notNull(),
    /** The row of `api_keys` of the kind `command-line`; `null` until a member allows the sign-in. */
    sessionId: text('session_id').references(() => apiKeys.id, { onDelete: 'cascade' }),
    /** Keyed hash of the code that the member enters; `null` for later tokens. */
    userCodeHash: text('user_code_hash').unique(),
    device: json<DeviceDescription>('device'),
    /** Address from which the device asked. */
    address: text('address'),
    createdAt: moment('created_at').notNull(),
    /** End of the wait; for later tokens `null`: they end with the session. */
    expiresAt: moment('expires_at'),
    /** When the device last asked whether it may sign in. */
    polledAt: moment('polled_at'),
    deniedAt: moment('denied_at'),
    /** When it was used; 0 if it was withdrawn unused, because the token before it was used again. */
    usedAt: moment('used_at'),
    /** The token that was exchanged for this one. */
    replaces: text('replaces'),
  },
  (table) => [
    index('device_tokens_session').on(table.sessionId),
    index('device_tokens_expires').on(table.expiresAt),
  ],
);
