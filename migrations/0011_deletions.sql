CREATE TABLE `deletions` (
	`resource_id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`tenant_id` text NOT NULL,
	`project_id` text NOT NULL,
	`service_id` text,
	`runner_id` text,
	`name` text NOT NULL,
	`project_name` text NOT NULL,
	`deleted_at` integer NOT NULL,
	`restorable_until` integer NOT NULL,
	`row_bytes` integer DEFAULT 0 NOT NULL,
	`purging_at` integer
);
--> statement-breakpoint
CREATE INDEX `deletions_tenant` ON `deletions` (`tenant_id`);
--> statement-breakpoint
CREATE INDEX `deletions_project` ON `deletions` (`project_id`);
--> statement-breakpoint
CREATE INDEX `deletions_restorable_until` ON `deletions` (`restorable_until`);
--> statement-breakpoint
CREATE INDEX `deletions_tenant_deleted` ON `deletions` (`tenant_id`,`deleted_at`);
--> statement-breakpoint
CREATE INDEX `deletions_deleted` ON `deletions` (`deleted_at`);
--> statement-breakpoint
CREATE TABLE `deleted_rows` (
	`position` integer PRIMARY KEY NOT NULL,
	`resource_id` text NOT NULL,
	`source` text NOT NULL,
	`row` text NOT NULL,
	FOREIGN KEY (`resource_id`) REFERENCES `deletions`(`resource_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `deleted_rows_resource` ON `deleted_rows` (`resource_id`,`source`);
--> statement-breakpoint
CREATE INDEX `deleted_services_runner` ON `deleted_rows` (row ->> 'runner_id') WHERE source = 'services';
--> statement-breakpoint
CREATE INDEX `deleted_backups_key` ON `deleted_rows` (row ->> 'encrypted_with') WHERE source = 'backups';
