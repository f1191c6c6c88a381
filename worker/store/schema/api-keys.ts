import {
  type AnySQLiteColumn,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core';
import { identityProviderKinds, joiningRoles } from '../../domain/access/identity-providers.ts';
import { keyKinds, keyLevels } from '../../domain/access/key-levels.ts';
import { memberRoles } from '../../domain/access/members.ts';
import { flag, json, moment, sealedText } from './columns.ts';
import { projects } from './projects.ts';
import { tenants } from './tenants.ts';

/**
 * Ids of the members without whose links a credential of another member would not exist; null: none. A session that a link has opened can
 * make links, passkeys and accounts at providers, which have its makers too. All of them end when one of these members is no longer an owner.
 */
export type LinkMakers = string[];

export const apiKeys = sqliteTable(
  'api_keys',
  {
    id: text('id').primaryKey(),
    tenantId: text('tenant_id')
      .notNull()
      .references(() => tenants.id),
    name: text('name').notNull(),
    access: text('access', { enum: keyLevels }).notNull(),
    kind: text('kind', { enum: keyKinds }).notNull().default('key'),
    /** All projects of the tenant; otherwise those in api_key_projects. */
    allProjects: flag('all_projects').notNull(),
    /** The 8 characters in the token that find this row. */
    tokenId: text('token_id').notNull().unique(),
    /** SHA-256 of the token's secret part, hex. */
    secretHash: text('secret_hash').notNull(),
    /** The token before the last rotation, until `previousUntil`. */
    previousTokenId: text('previous_token_id').unique(),
    previousSecretHash: text('previous_secret_hash'),
    previousUntil: moment('previous_until'),
    /** The key that made this short-lived one; null: the operator did. */
    madeBy: text('made_by').references((): AnySQLiteColumn => apiKeys.id),
    /** Links and sessions of members: who made the links that led here (`LinkMakers`). */
    linkedBy: json<LinkMakers>('linked_by'),
    createdAt: moment('created_at').notNull(),
    expiresAt: moment('expires_at'),
    revokedAt: moment('revoked_at'),
    /** Truncated to the minute and written at most every 10 minutes. */
    lastUsedAt: moment('last_used_at'),
  },
  (table) => [
    index('api_keys_tenant').on(table.tenantId),
    index('api_keys_made_by').on(table.madeBy),
    index('api_keys_made_by_created').on(table.madeBy, table.createdAt),
    index('api_keys_created').on(table.createdAt),
  ],
);

/** The projects that a key for chosen projects can access, and those in which a member has a level of their own. */
export const apiKeyProjects = sqliteTable(
  'api_key_projects',
  {
    keyId: text('key_id')
      .notNull()
      .references(() => apiKeys.id, { onDelete: 'cascade' }),
    projectId: text('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    /** In place of the key's in this project; null: the key's. Only members and their sessions have one. */
    level: text('level', { enum: keyLevels }),
  },
  (table) => [
    primaryKey({ columns: [table.keyId, table.projectId] }),
    index('api_key_projects_project').on(table.projectId),
  ],
);

/**
 * People of a tenant. The row of `api_keys` with the same id, of the kind `member`, has the name, the level and the projects; sessions are made
 * by it. A removed member has no row here.
 */
export const members = sqliteTable(
  'members',
  {
    id: text('id')
      .primaryKey()
      .references(() => apiKeys.id, { onDelete: 'cascade' }),
    tenantId: text('tenant_id')
      .notNull()
      .references(() => tenants.id),
    /** In lower case. */
    email: text('email').notNull(),
    role: text('role', { enum: memberRoles }).notNull(),
    /** The owner who invited; null: the operator. */
    invitedBy: text('invited_by'),
    /** Of the first session; null: invited. */
    acceptedAt: moment('accepted_at'),
    createdAt: moment('created_at').notNull(),
  },
  (table) => [
    uniqueIndex('members_tenant_email').on(table.tenantId, table.email),
    index('members_tenant_created').on(table.tenantId, table.createdAt),
    index('members_invited_by').on(table.invitedBy),
  ],
);

/** Where members of a tenant can sign in. */
export const identityProviders = sqliteTable(
  'identity_providers',
  {
    id: text('id').primaryKey(),
    tenantId: text('tenant_id')
      .notNull()
      .references(() => tenants.id),
    kind: text('kind', { enum: identityProviderKinds }).notNull(),
    name: text('name').notNull(),
    issuer: text('issuer').notNull(),
    /** Of Cloudflare Access: the audience (AUD) tag of the application. */
    clientId: text('client_id').notNull(),
    sealedClientSecret: sealedText('sealed_client_secret').notNull(),
    /** Empty: any. */
    emailDomains: json<string[]>('email_domains').notNull(),
    /** Addresses count as verified without a claim that says so. */
    trustsEmail: flag('trusts_email').notNull(),
    /** The role of who signs in without an invitation; null: nobody may. */
    joiningRole: text('joining_role', { enum: joiningRoles }),
    /** Their projects; null: all. */
    joiningProjects: json<string[]>('joining_projects'),
    enabled: flag('enabled').notNull(),
    /** False: it sends browsers back to the address that all providers shared at first. */
    ownCallback: flag('own_callback').notNull().default(false),
    createdAt: moment('created_at').notNull(),
    updatedAt: moment('updated_at').notNull(),
  },
  (table) => [index('identity_providers_tenant').on(table.tenantId)],
);

/**
 * Who a person is at a provider. The row stays without a member when the member is removed, so that nobody joins again by it; and with the
 * member and `removedAt` when the member removes it, so that the address does not bind it, or another account, again.
 */
export const identities = sqliteTable(
  'identities',
  {
    id: text('id').primaryKey(),
    providerId: text('provider_id')
      .notNull()
      .references(() => identityProviders.id, { onDelete: 'cascade' }),
    issuer: text('issuer').notNull(),
    subject: text('subject').notNull(),
    memberId: text('member_id').references(() => members.id, { onDelete: 'set null' }),
    createdAt: moment('created_at').notNull(),
    lastUsedAt: moment('last_used_at').notNull(),
    /** Since when the member no longer signs in by it; null: the member does. */
    removedAt: moment('removed_at'),
    /** Of the session that added it. */
    linkedBy: json<LinkMakers>('linked_by'),
  },
  (table) => [
    uniqueIndex('identities_subject').on(table.providerId, table.issuer, table.subject),
    uniqueIndex('identities_member').on(table.memberId, table.providerId),
  ],
);

/** Keys on the devices of members, with which they sign in (WebAuthn). */
export const passkeys = sqliteTable(
  'passkeys',
  {
    id: text('id').primaryKey(),
    memberId: text('member_id')
      .notNull()
      .references(() => members.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    /** The host name of the instance where it was added. It works nowhere else. */
    rpId: text('rp_id').notNull(),
    /** base64url. */
    credentialId: text('credential_id').notNull(),
    /** COSE key, base64url. */
    publicKey: text('public_key').notNull(),
    /** Signatures, as its device counts them; always 0 for passkeys of most password managers. */
    counter: integer('counter').notNull(),
    /** How browsers reach it. */
    transports: json<string[]>('transports').notNull(),
    /** Whether it can be copied to other devices of its owner. This never changes. */
    canSync: flag('can_sync').notNull(),
    /** Whether it was copied. */
    isSynced: flag('is_synced').notNull(),
    /** Of the session that added it. */
    linkedBy: json<LinkMakers>('linked_by'),
    createdAt: moment('created_at').notNull(),
    lastUsedAt: moment('last_used_at'),
  },
  (table) => [
    uniqueIndex('passkeys_credential').on(table.credentialId),
    index('passkeys_member').on(table.memberId, table.createdAt),
    index('passkeys_place').on(table.rpId),
  ],
);

/** What has signed somebody in and must not do it again: ids of attempts and challenges, until they would have expired. */
export const usedSignIns = sqliteTable(
  'used_sign_ins',
  { id: text('id').primaryKey(), expiresAt: moment('expires_at').notNull() },
  (table) => [index('used_sign_ins_expires').on(table.expiresAt)],
);

/** Marks of the addresses of removed members: who was removed does not join again without an invitation. */
export const removedMembers = sqliteTable(
  'removed_members',
  {
    /** SHA-256 of the tenant's id and the address. */
    mark: text('mark').primaryKey(),
    tenantId: text('tenant_id')
      .notNull()
      .references(() => tenants.id),
    removedAt: moment('removed_at').notNull(),
  },
  (table) => [index('removed_members_tenant').on(table.tenantId)],
);
