CREATE TABLE `runs` (
	`id` text PRIMARY KEY NOT NULL,
	`service_id` text NOT NULL,
	`job_id` text NOT NULL,
	`command` text NOT NULL,
	`time_limit_seconds` integer NOT NULL,
	`status` text NOT NULL,
	`exit_code` integer,
	`error` text,
	`created_at` integer NOT NULL,
	`started_at` integer,
	`finished_at` integer,
	FOREIGN KEY (`service_id`) REFERENCES `services`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`job_id`) REFERENCES `jobs`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `runs_service` ON `runs` (`service_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `runs_job` ON `runs` (`job_id`);--> statement-breakpoint
DROP INDEX `jobs_one_active_per_service`;--> statement-breakpoint
CREATE UNIQUE INDEX `jobs_one_active_per_service` ON `jobs` (`service_id`) WHERE state = 'active' and kind <> 'run';