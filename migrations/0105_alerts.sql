CREATE TABLE `alerts` (
	`id` text PRIMARY KEY NOT NULL,
	`rule` text NOT NULL,
	`subject_id` text NOT NULL,
	`tenant_id` text NOT NULL,
	`project_id` text NOT NULL,
	`service_id` text NOT NULL,
	`runner_id` text NOT NULL,
	`name` text NOT NULL,
	`detail` text NOT NULL,
	`end_event_id` text NOT NULL,
	`is_told` integer NOT NULL,
	`raised_at` integer NOT NULL,
	`resolved_at` integer,
	`acknowledged_by` text,
	`acknowledged_at` integer,
	`silenced_by` text,
	`silenced_until` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `alerts_open` ON `alerts` (`subject_id`,`rule`) WHERE resolved_at is null;--> statement-breakpoint
CREATE INDEX `alerts_of_host` ON `alerts` (`runner_id`,`rule`) WHERE resolved_at is null;--> statement-breakpoint
CREATE INDEX `alerts_tenant` ON `alerts` (`tenant_id`,`raised_at`);--> statement-breakpoint
CREATE INDEX `alerts_raised` ON `alerts` (`raised_at`);--> statement-breakpoint
CREATE INDEX `alerts_silenced` ON `alerts` (`subject_id`,`rule`,`silenced_until`) WHERE silenced_until is not null;