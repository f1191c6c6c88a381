CREATE TABLE `identities` (
	`id` text PRIMARY KEY NOT NULL,
	`provider_id` text NOT NULL,
	`issuer` text NOT NULL,
	`subject` text NOT NULL,
	`member_id` text,
	`created_at` integer NOT NULL,
	`last_used_at` integer NOT NULL,
	FOREIGN KEY (`provider_id`) REFERENCES `identity_providers`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`member_id`) REFERENCES `members`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE UNIQUE INDEX `identities_subject` ON `identities` (`provider_id`,`issuer`,`subject`);--> statement-breakpoint
CREATE UNIQUE INDEX `identities_member` ON `identities` (`member_id`,`provider_id`);--> statement-breakpoint
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
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `identity_providers_tenant` ON `identity_providers` (`tenant_id`);--> statement-breakpoint
CREATE TABLE `removed_members` (
	`mark` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`removed_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `removed_members_tenant` ON `removed_members` (`tenant_id`);--> statement-breakpoint
CREATE TABLE `used_sign_ins` (
	`id` text PRIMARY KEY NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `used_sign_ins_expires` ON `used_sign_ins` (`expires_at`);