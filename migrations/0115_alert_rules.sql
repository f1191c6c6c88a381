CREATE TABLE `alert_rules` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`service_id` text NOT NULL,
	`runner_id` text NOT NULL,
	`name` text NOT NULL,
	`metric` text NOT NULL,
	`comparison` text NOT NULL,
	`threshold` real NOT NULL,
	`for_seconds` integer NOT NULL,
	`enabled` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `alert_rules_project` ON `alert_rules` (`project_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `alert_switches` (
	`project_id` text NOT NULL,
	`rule` text NOT NULL,
	`off_since` integer NOT NULL,
	PRIMARY KEY(`project_id`, `rule`)
);
