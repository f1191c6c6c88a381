CREATE TABLE `api_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`name` text NOT NULL,
	`access` text NOT NULL,
	`kind` text DEFAULT 'key' NOT NULL,
	`all_projects` integer NOT NULL,
	`token_id` text NOT NULL,
	`secret_hash` text NOT NULL,
	`previous_token_id` text,
	`previous_secret_hash` text,
	`previous_until` integer,
	`made_by` text,
	`linked_by` text,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`revoked_at` integer,
	`last_used_at` integer,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`made_by`) REFERENCES `api_keys`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_token_id_unique` ON `api_keys` (`token_id`);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_previous_token_id_unique` ON `api_keys` (`previous_token_id`);
--> statement-breakpoint
CREATE INDEX `api_keys_tenant` ON `api_keys` (`tenant_id`);
--> statement-breakpoint
CREATE INDEX `api_keys_made_by` ON `api_keys` (`made_by`);
--> statement-breakpoint
CREATE INDEX `api_keys_made_by_created` ON `api_keys` (`made_by`,`created_at`);
--> statement-breakpoint
CREATE INDEX `api_keys_created` ON `api_keys` (`created_at`);
--> statement-breakpoint
CREATE TABLE `api_key_projects` (
	`key_id` text NOT NULL,
	`project_id` text NOT NULL,
	`level` text,
	PRIMARY KEY(`key_id`, `project_id`),
	FOREIGN KEY (`key_id`) REFERENCES `api_keys`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `api_key_projects_project` ON `api_key_projects` (`project_id`);
--> statement-breakpoint
CREATE TABLE `members` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`email` text NOT NULL,
	`role` text NOT NULL,
	`invited_by` text,
	`accepted_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`id`) REFERENCES `api_keys`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `members_tenant_email` ON `members` (`tenant_id`,`email`);
--> statement-breakpoint
CREATE INDEX `members_tenant_created` ON `members` (`tenant_id`,`created_at`);
--> statement-breakpoint
CREATE INDEX `members_invited_by` ON `members` (`invited_by`);
--> statement-breakpoint
CREATE TABLE `removed_members` (
	`mark` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`removed_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `removed_members_tenant` ON `removed_members` (`tenant_id`);
--> statement-breakpoint
CREATE TABLE `identity_providers` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`kind` text NOT NULL,
	`name` text NOT NULL,
	`issuer` text NOT NULL,
	`client_id` text NOT NULL,
	`sealed_client_secret` text NOT NULL,
	`email_domains` text NOT NULL,
	`trusts_email` integer NOT NULL,
	`joining_role` text,
	`joining_projects` text,
	`enabled` integer NOT NULL,
	`own_callback` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `identity_providers_tenant` ON `identity_providers` (`tenant_id`);
--> statement-breakpoint
CREATE TABLE `identities` (
	`id` text PRIMARY KEY NOT NULL,
	`provider_id` text NOT NULL,
	`issuer` text NOT NULL,
	`subject` text NOT NULL,
	`member_id` text,
	`created_at` integer NOT NULL,
	`last_used_at` integer NOT NULL,
	`removed_at` integer,
	`linked_by` text,
	FOREIGN KEY (`provider_id`) REFERENCES `identity_providers`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`member_id`) REFERENCES `members`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE UNIQUE INDEX `identities_subject` ON `identities` (`provider_id`,`issuer`,`subject`);
--> statement-breakpoint
CREATE UNIQUE INDEX `identities_member` ON `identities` (`member_id`,`provider_id`);
--> statement-breakpoint
CREATE TABLE `used_sign_ins` (
	`id` text PRIMARY KEY NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `used_sign_ins_expires` ON `used_sign_ins` (`expires_at`);
--> statement-breakpoint
CREATE TABLE `passkeys` (
	`id` text PRIMARY KEY NOT NULL,
	`member_id` text NOT NULL,
	`name` text NOT NULL,
	`rp_id` text NOT NULL,
	`credential_id` text NOT NULL,
	`public_key` text NOT NULL,
	`counter` integer NOT NULL,
	`transports` text NOT NULL,
	`can_sync` integer NOT NULL,
	`is_synced` integer NOT NULL,
	`linked_by` text,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	FOREIGN KEY (`member_id`) REFERENCES `members`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `passkeys_credential` ON `passkeys` (`credential_id`);
--> statement-breakpoint
CREATE INDEX `passkeys_member` ON `passkeys` (`member_id`,`created_at`);
--> statement-breakpoint
CREATE INDEX `passkeys_place` ON `passkeys` (`rp_id`);
