import { sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { flag, json, moment, sealedText } from './columns.ts';

/** Settings of the instance, one JSON value per name; names and schemas are in domain/settings.ts. */
export const settings = sqliteTable('settings', {
  name: text('name').primaryKey(),
  value: json<unknown>('value').notNull(),
  updatedAt: moment('updated_at').notNull(),
});

/** DNS providers that the operator connected: `cloudflare`, `namecheap`, `spaceship`. */
export const dnsProviders = sqliteTable('dns_providers', {
  id: text('id').primaryKey(),
  sealedCredentials: sealedText('sealed_credentials').notNull(),
  createdAt: moment('created_at').notNull(),
  updatedAt: moment('updated_at').notNull(),
});

/** AI providers for explain-failure; `builtin` has no row. */
export const aiProviders = sqliteTable('ai_providers', {
  id: text('id').primaryKey(),
  kind: text('kind', { enum: ['openai-compatible', 'anthropic', 'workers-ai'] }).notNull(),
  baseUrl: text('base_url'),
  defaultModel: text('default_model').notNull(),
  sealedCredentials: sealedText('sealed_credentials').notNull(),
  enabled: flag('enabled').notNull(),
  createdAt: moment('created_at').notNull(),
  updatedAt: moment('updated_at').notNull(),
});
