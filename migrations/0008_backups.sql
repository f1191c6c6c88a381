CREATE TABLE `backup_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`recipient` text NOT NULL,
	`sealed_identity` text NOT NULL,
	`created_at` integer NOT NULL,
	`retired_at` integer,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `backup_keys_current` ON `backup_keys` (`tenant_id`) WHERE retired_at is null;
--> statement-breakpoint
CREATE INDEX `backup_keys_tenant` ON `backup_keys` (`tenant_id`);
--> statement-breakpoint
CREATE INDEX `backup_keys_tenant_created` ON `backup_keys` (`tenant_id`,`created_at`);
--> statement-breakpoint
CREATE TABLE `backup_settings` (
	`service_id` text PRIMARY KEY NOT NULL,
	`storage` text NOT NULL,
	`automatic_enabled` integer NOT NULL,
	`daily_enabled` integer NOT NULL,
	`weekly_enabled` integer NOT NULL,
	`monthly_enabled` integer NOT NULL,
	`drill` text NOT NULL,
	`quiesce` text,
	`next_look_at` integer DEFAULT 0 NOT NULL,
	`noted_due_at` integer DEFAULT 0 NOT NULL,
	`noted_drill_at` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`service_id`) REFERENCES `services`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `backup_settings_next_look` ON `backup_settings` (`next_look_at`);
--> statement-breakpoint
CREATE TABLE `backups` (
	`id` text PRIMARY KEY NOT NULL,
	`service_id` text NOT NULL,
	`job_id` text,
	`engine` text NOT NULL,
	`volume_id` text,
	`quiesce` text,
	`status` text NOT NULL,
	`trigger` text NOT NULL,
	`storage` text NOT NULL,
	`format` text NOT NULL,
	`local_path` text,
	`remote_key` text,
	`size_bytes` integer NOT NULL,
	`checksum` text NOT NULL,
	`encrypted_with` text,
	`tables` integer,
	`rows` integer,
	`not_kept` text,
	`progress` text,
	`error` text,
	`last_proven_at` integer,
	`removing_until` integer,
	`created_at` integer NOT NULL,
	`started_at` integer NOT NULL,
	`finished_at` integer,
	FOREIGN KEY (`service_id`) REFERENCES `services`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`job_id`) REFERENCES `jobs`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `backups_service` ON `backups` (`service_id`,`created_at`);
--> statement-breakpoint
CREATE INDEX `backups_job` ON `backups` (`job_id`);
--> statement-breakpoint
CREATE INDEX `backups_failed` ON `backups` (`created_at`) WHERE status = 'failed';
--> statement-breakpoint
CREATE INDEX `backups_encrypted` ON `backups` (`encrypted_with`) WHERE encrypted_with is not null;
--> statement-breakpoint
CREATE TABLE `imports` (
	`id` text PRIMARY KEY NOT NULL,
	`service_id` text NOT NULL,
	`job_id` text,
	`engine` text NOT NULL,
	`source` text NOT NULL,
	`source_label` text NOT NULL,
	`sealed_source` text,
	`status` text NOT NULL,
	`safety_backup_id` text,
	`continue_on_error` integer DEFAULT false NOT NULL,
	`skipped` text,
	`progress` text,
	`error` text,
	`created_at` integer NOT NULL,
	`started_at` integer NOT NULL,
	`finished_at` integer,
	FOREIGN KEY (`service_id`) REFERENCES `services`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`job_id`) REFERENCES `jobs`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `imports_service` ON `imports` (`service_id`,`created_at`);
--> statement-breakpoint
CREATE INDEX `imports_job` ON `imports` (`job_id`);
--> statement-breakpoint
CREATE TABLE `restores` (
	`id` text PRIMARY KEY NOT NULL,
	`backup_id` text NOT NULL,
	`service_id` text NOT NULL,
	`job_id` text NOT NULL,
	`safety_backup_id` text NOT NULL,
	`status` text NOT NULL,
	`progress` text,
	`error` text,
	`created_at` integer NOT NULL,
	`finished_at` integer,
	FOREIGN KEY (`backup_id`) REFERENCES `backups`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`service_id`) REFERENCES `services`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`job_id`) REFERENCES `jobs`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `restores_backup` ON `restores` (`backup_id`,`created_at`);
--> statement-breakpoint
CREATE INDEX `restores_job` ON `restores` (`job_id`);
--> statement-breakpoint
CREATE INDEX `restores_service` ON `restores` (`service_id`);
--> statement-breakpoint
CREATE TABLE `drills` (
	`id` text PRIMARY KEY NOT NULL,
	`backup_id` text NOT NULL,
	`service_id` text NOT NULL,
	`job_id` text NOT NULL,
	`trigger` text NOT NULL,
	`status` text NOT NULL,
	`progress` text,
	`error` text,
	`created_at` integer NOT NULL,
	`finished_at` integer,
	FOREIGN KEY (`backup_id`) REFERENCES `backups`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`service_id`) REFERENCES `services`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`job_id`) REFERENCES `jobs`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `drills_backup` ON `drills` (`backup_id`,`created_at`);
--> statement-breakpoint
CREATE INDEX `drills_service` ON `drills` (`service_id`,`created_at`);
--> statement-breakpoint
CREATE INDEX `drills_job` ON `drills` (`job_id`);
--> statement-breakpoint
CREATE TABLE `database_upgrades` (
	`id` text PRIMARY KEY NOT NULL,
	`service_id` text NOT NULL,
	`job_id` text NOT NULL,
	`action` text NOT NULL,
	`from_image` text NOT NULL,
	`to_image` text NOT NULL,
	`undoes` text,
	`accept_not_kept` integer NOT NULL,
	`safety_backup_id` text,
	`status` text NOT NULL,
	`progress` text,
	`error` text,
	`created_at` integer NOT NULL,
	`finished_at` integer,
	FOREIGN KEY (`service_id`) REFERENCES `services`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`job_id`) REFERENCES `jobs`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `database_upgrades_service` ON `database_upgrades` (`service_id`,`created_at`);
--> statement-breakpoint
CREATE INDEX `database_upgrades_job` ON `database_upgrades` (`job_id`);
--> statement-breakpoint
CREATE TABLE `volume_moves` (
	`id` text PRIMARY KEY NOT NULL,
	`service_id` text NOT NULL,
	`from_runner_id` text NOT NULL,
	`to_runner_id` text NOT NULL,
	`job_ids` text NOT NULL,
	`volume_ids` text NOT NULL,
	`status` text NOT NULL,
	`created_at` integer NOT NULL,
	`finished_at` integer,
	FOREIGN KEY (`service_id`) REFERENCES `services`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`from_runner_id`) REFERENCES `runners`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`to_runner_id`) REFERENCES `runners`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `volume_moves_running` ON `volume_moves` (`service_id`) WHERE status = 'running';
--> statement-breakpoint
CREATE INDEX `volume_moves_service` ON `volume_moves` (`service_id`);
--> statement-breakpoint
CREATE INDEX `volume_moves_from` ON `volume_moves` (`from_runner_id`);
--> statement-breakpoint
CREATE INDEX `volume_moves_to` ON `volume_moves` (`to_runner_id`);
