CREATE TABLE `stored_logs` (
	`stream_name` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`bytes` integer NOT NULL,
	`archived_bytes` integer DEFAULT 0 NOT NULL,
	`ended_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `stored_logs_archived` ON `stored_logs` (`ended_at`) WHERE archived_bytes > 0;--> statement-breakpoint
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
CREATE UNIQUE INDEX `upgrade_rounds_running` ON `upgrade_rounds` (`state`) WHERE state = 'running';--> statement-breakpoint
ALTER TABLE `tenant_usage` ADD `log_bytes` integer DEFAULT 0 NOT NULL;