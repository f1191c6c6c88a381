CREATE TABLE `runners` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text,
	`shared` integer DEFAULT false NOT NULL,
	`name` text NOT NULL,
	`identity_key` text NOT NULL,
	`sealing_key` text NOT NULL,
	`facts` text NOT NULL,
	`trusted_runc` text,
	`drained` integer NOT NULL,
	`revoked_at` integer,
	`connected_at` integer,
	`disconnected_at` integer,
	`away_reported_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `runners_shared` ON `runners` (`shared`,`id`);
--> statement-breakpoint
CREATE INDEX `runners_owner` ON `runners` (coalesce(tenant_id, 'default'),`id`);
--> statement-breakpoint
CREATE INDEX `runners_tenant` ON `runners` (`tenant_id`);
--> statement-breakpoint
CREATE INDEX `runners_unreported` ON `runners` (`disconnected_at`) WHERE connected_at is null and away_reported_at is null;
--> statement-breakpoint
CREATE INDEX `runners_reported` ON `runners` (`away_reported_at`) WHERE away_reported_at is not null;
--> statement-breakpoint
CREATE INDEX `runners_created` ON `runners` (`created_at`);
--> statement-breakpoint
CREATE TABLE `runner_processes` (
	`runner_id` text PRIMARY KEY NOT NULL,
	`boot_ids` text NOT NULL,
	`clock_ahead_ms` integer,
	FOREIGN KEY (`runner_id`) REFERENCES `runners`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `enrolment_tokens` (
	`id` integer PRIMARY KEY NOT NULL,
	`token_hash` text NOT NULL,
	`tenant_id` text,
	`shared` integer DEFAULT false NOT NULL,
	`name` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`used_at` integer,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `enrolment_tokens_token_hash_unique` ON `enrolment_tokens` (`token_hash`);
--> statement-breakpoint
CREATE INDEX `enrolment_tokens_tenant` ON `enrolment_tokens` (`tenant_id`);
--> statement-breakpoint
CREATE TABLE `host_tasks` (
	`id` text PRIMARY KEY NOT NULL,
	`runner_id` text NOT NULL,
	`tenant_id` text,
	`task` text NOT NULL,
	`state` text NOT NULL,
	`due_at` integer NOT NULL,
	`ok` integer,
	`detail` text,
	`created_at` integer NOT NULL,
	`finished_at` integer
);
--> statement-breakpoint
CREATE INDEX `host_tasks_pending` ON `host_tasks` (`runner_id`,`state`,`due_at`);
--> statement-breakpoint
CREATE TABLE `upgrade_rounds` (
	`id` text PRIMARY KEY NOT NULL,
	`release` text NOT NULL,
	`state` text NOT NULL,
	`upgraded` integer DEFAULT 0 NOT NULL,
	`runner_id` text,
	`asked_at` integer,
	`record_before` integer,
	`error` text,
	`started_at` integer NOT NULL,
	`finished_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `upgrade_rounds_running` ON `upgrade_rounds` (`state`) WHERE state = 'running';
--> statement-breakpoint
CREATE TABLE `claim_turns` (
	`runner_id` text NOT NULL,
	`tenant_id` text NOT NULL,
	`place` text NOT NULL,
	`claimed_at` integer NOT NULL,
	PRIMARY KEY(`runner_id`, `tenant_id`, `place`),
	FOREIGN KEY (`runner_id`) REFERENCES `runners`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `claim_turns_tenant` ON `claim_turns` (`tenant_id`);
