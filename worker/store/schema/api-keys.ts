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
 * Ids of the members whose links led to a credential of another member; `null` without any. A session that was opened by a link can create
 * links, passkeys and provider accounts, which have the same makers. All of them end when one of these members is no longer an owner.
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
    /** Whether the key is for all projects of the tenant; otherwise for those in api_key_projects. */
    allProjects: flag('all_projects').notNull(),
    /** The 8 characters in the token by which this row is found. */
    tokenId: text('token_id').notNull().unique(),
    /** SHA-256 of the token's secret part, hex. */
    secretHash: text('secret_hash').notNull(),
    /** The token before the last rotation, valid until `previousUntil`. */
    previousTokenId: text('previous_token_id').unique(),
    previousSecretHash: text('previous_secret_hash'),
    previousUntil: moment('previous_until'),
    /** End of the secret of a command line, which renews it and keeps `tokenId`; `null`: it ends with its row. */
    tokenUntil: moment('token_until'),
    /** The key that created this short-lived one; `null` if the operator did. */
    madeBy: text('made_by').references((): AnySQLiteColumn => apiKeys.id),
    /** For links and sessions of members: the members whose links led to it (`LinkMakers`). */
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

/** The projects that a key for chosen projects can access, and those in which a member has a different level. */
export const apiKeyProjects = sqliteTable(
  'api_key_projects',
  {
    keyId: text('key_id')
      .notNull()
      .references(() => apiKeys.id, { onDelete: 'cascade' }),
    projectId: text('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    /** Replaces the key's level in this project; `null`: the key's. Only members and their sessions have one. */
    level: text('level', { enum: keyLevels }),
  },
  (table) => [
    primaryKey({ columns: [table.keyId, table.projectId] }),
    index('api_key_projects_project').on(table.projectId),
  ],
);

/**
 * People of a tenant. The row of `api_keys` with the same id, of the kind `member`, has the name, the level and the projects; it is the maker
 * of sessions. A removed member has no row here.
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
    /** The owner who invited the member; `null` for the operator. */
    invitedBy: text('invited_by'),
    /** Time of the first session; `null` while invited. */
    acceptedAt: moment('accepted_at'),
    createdAt: moment('created_at').notNull(),
  },
  (table) => [
    uniqueIndex('members_tenant_email').on(table.tenantId, table.email),
    index('members_tenant_created').on(table.tenantId, table.createdAt),
    index('members_invited_by').on(table.invitedBy),
  ],
);

/** Providers at which members of a tenant can sign in. */
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
    /** For Cloudflare Access: the audience (AUD) tag of the application. */
    clientId: text('client_id').notNull(),
    sealedClientSecret: sealedText('sealed_client_secret').notNull(),
    /** Empty if all domains are allowed. */
    emailDomains: json<string[]>('email_domains').notNull(),
    /** Whether addresses count as verified without a claim that confirms it. */
    trustsEmail: flag('trusts_email').notNull(),
    /** The role for people who sign in without an invitation; `null` if that is not allowed. */
    joiningRole: text('joining_role', { enum: joiningRoles }),
    /** The projects of these people; `null`: all. */
    joiningProjects: json<string[]>('joining_projects'),
    enabled: flag('enabled').notNull(),
    /** False: the provider redirects browsers to the address that all providers shared at first. */
    ownCallback: flag('own_callback').notNull().default(false),
    createdAt: moment('created_at').notNull(),
    updatedAt: moment('updated_at').notNull(),
  },
  (table) => [index('identity_providers_tenant').on(table.tenantId)],
);

/**
 * A person's identity at a provider. The row remains without a member if the member is removed, so that nobody joins again with it. If the
 * member removes the identity, the row remains with the member and `removedAt`, so that the address does not link it, or another account,
 * again.
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
    /** Time since which the member no longer signs in with it; `null` while the member does. */
    removedAt: moment('removed_at'),
    /** The makers of the session that added it. */
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
    /** The host name of the instance where it was added, and only there it works. */
    rpId: text('rp_id').notNull(),
    /** base64url. */
    credentialId: text('credential_id').notNull(),
    /** COSE key, base64url. */
    publicKey: text('public_key').notNull(),
    /** Number of signatures, counted by its device; always 0 for passkeys of most password managers. */
    counter: integer('counter').notNull(),
    /** The ways in which browsers reach the device. */
    transports: json<string[]>('transports').notNull(),
    /** Whether it can be copied to other devices of its owner. This never changes. */
    canSync: flag('can_sync').notNull(),
    /** Whether it was copied to other devices. */
    isSynced: flag('is_synced').notNull(),
    /** The makers of the session that added it. */
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

/** Used sign-ins, which must not be repeated: ids of attempts and challenges until their expiry. */
export const usedSignIns = sqliteTable(
  'used_sign_ins',
  { id: text('id').primaryKey(), expiresAt: moment('expires_at').notNull() },
  (table) => [index('used_sign_ins_expires').on(table.expiresAt)],
);

/** Marks of the addresses of removed members, who can't join again without an invitation. */
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
