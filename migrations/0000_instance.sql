CREATE TABLE `settings` (
	`name` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `scheduled_runs` (
	`schedule` text PRIMARY KEY NOT NULL,
	`started_at` integer NOT NULL,
	`duration_ms` integer NOT NULL,
	`failed` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `object_days` (
	`day` integer PRIMARY KEY NOT NULL,
	`requests` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `dumps` (
	`id` text PRIMARY KEY NOT NULL,
	`state` text NOT NULL,
	`position` integer DEFAULT 0 NOT NULL,
	`after_row` integer DEFAULT 0 NOT NULL,
	`parts` integer DEFAULT 0 NOT NULL,
	`rows` integer DEFAULT 0 NOT NULL,
	`bytes` integer DEFAULT 0 NOT NULL,
	`started_at` integer NOT NULL,
	`finished_at` integer
);
--> statement-breakpoint
CREATE INDEX `dumps_started` ON `dumps` (`started_at`);
--> statement-breakpoint
CREATE TABLE `audit_log` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text,
	`actor` text NOT NULL,
	`route` text NOT NULL,
	`resource_id` text,
	`status` integer NOT NULL,
	`request_id` text NOT NULL,
	`address_hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`detail` text
);
--> statement-breakpoint
CREATE INDEX `audit_log_created` ON `audit_log` (`created_at`);
--> statement-breakpoint
CREATE INDEX `audit_log_tenant` ON `audit_log` (`tenant_id`,`created_at`);
--> statement-breakpoint
CREATE INDEX `audit_log_host_copied` ON `audit_log` (`created_at`) WHERE route = 'host.copied';
--> statement-breakpoint
CREATE TABLE `failed_sign_ins` (
	`minute` integer NOT NULL,
	`address_hash` text NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`minute`, `address_hash`)
);
--> statement-breakpoint
CREATE TABLE `idempotency_keys` (
	`key_id` text NOT NULL,
	`idempotency_key` text NOT NULL,
	`request_hash` text NOT NULL,
	`created_id` text DEFAULT '' NOT NULL,
	`response` text,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`key_id`, `idempotency_key`)
);
--> statement-breakpoint
CREATE INDEX `idempotency_keys_created` ON `idempotency_keys` (`created_at`);
--> statement-breakpoint
CREATE TABLE `ai_providers` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`base_url` text,
	`default_model` text NOT NULL,
	`sealed_credentials` text NOT NULL,
	`enabled` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
