CREATE TABLE `stored_logs` (
	`stream_name` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`bytes` integer NOT NULL,
	`archived_bytes` integer DEFAULT 0 NOT NULL,
	`ended_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `stored_logs_archived` ON `stored_logs` (`ended_at`) WHERE archived_bytes > 0;
--> statement-breakpoint
CREATE TABLE `log_drains` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`name` text NOT NULL,
	`kind` text NOT NULL,
	`target` text NOT NULL,
	`sealed_target` text NOT NULL,
	`level` text,
	`enabled` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `log_drains_project` ON `log_drains` (`project_id`,`created_at`);
--> statement-breakpoint
CREATE TABLE `log_purges` (
	`stream_name` text PRIMARY KEY NOT NULL,
	`created_at` integer NOT NULL
);
