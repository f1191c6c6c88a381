CREATE TABLE `tenant_usage` (
	`tenant_id` text PRIMARY KEY NOT NULL,
	`projects` integer DEFAULT 0 NOT NULL,
	`services` integer DEFAULT 0 NOT NULL,
	`domains` integer DEFAULT 0 NOT NULL,
	`volumes` integer DEFAULT 0 NOT NULL,
	`memory_mb` integer DEFAULT 0 NOT NULL,
	`disk_mb` integer DEFAULT 0 NOT NULL,
	`backup_bytes` integer DEFAULT 0 NOT NULL,
	`kept_deletions` integer DEFAULT 0 NOT NULL,
	`kept_deletion_bytes` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `api_keys_made_by_created` ON `api_keys` (`made_by`,`created_at`);--> statement-breakpoint
CREATE INDEX `api_keys_created` ON `api_keys` (`created_at`);--> statement-breakpoint
CREATE INDEX `backup_keys_tenant_created` ON `backup_keys` (`tenant_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `deleted_backups_key` ON `deleted_rows` (row ->> 'encrypted_with') WHERE source = 'backups';--> statement-breakpoint
CREATE INDEX `deletions_tenant_deleted` ON `deletions` (`tenant_id`,`deleted_at`);--> statement-breakpoint
CREATE INDEX `deletions_deleted` ON `deletions` (`deleted_at`);--> statement-breakpoint
CREATE INDEX `git_credentials_tenant_place` ON `git_credentials` (`tenant_id`,`host`);--> statement-breakpoint
CREATE INDEX `projects_tenant_created` ON `projects` (`tenant_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `runners_created` ON `runners` (`created_at`);--> statement-breakpoint
CREATE INDEX `services_project_created` ON `services` (`project_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `tenants_created` ON `tenants` (`created_at`);