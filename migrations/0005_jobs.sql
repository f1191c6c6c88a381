CREATE TABLE `jobs` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`service_id` text NOT NULL,
	`runner_id` text NOT NULL,
	`state` text NOT NULL,
	`phase` text,
	`epoch` integer NOT NULL,
	`abort_requested_at` integer,
	`result_id` text,
	`failure_code` text,
	`failure_message` text,
	`queued_at` integer NOT NULL,
	`claimed_at` integer,
	`deadline_at` integer,
	`finished_at` integer,
	FOREIGN KEY (`service_id`) REFERENCES `services`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`runner_id`) REFERENCES `runners`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `jobs_runner_state` ON `jobs` (`runner_id`,`state`,`queued_at`);
--> statement-breakpoint
CREATE INDEX `jobs_open` ON `jobs` (`state`) WHERE state in ('queued', 'active');
--> statement-breakpoint
CREATE INDEX `jobs_service` ON `jobs` (`service_id`,`state`);
--> statement-breakpoint
CREATE UNIQUE INDEX `jobs_one_active_per_service` ON `jobs` (`service_id`) WHERE state = 'active' and kind <> 'run';
--> statement-breakpoint
CREATE INDEX `jobs_data_finished` ON `jobs` (`service_id`,`finished_at`) WHERE kind <> 'deploy';
--> statement-breakpoint
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
CREATE INDEX `runs_service` ON `runs` (`service_id`,`created_at`);
--> statement-breakpoint
CREATE INDEX `runs_job` ON `runs` (`job_id`);
--> statement-breakpoint
CREATE TABLE `schedules` (
	`id` text PRIMARY KEY NOT NULL,
	`service_id` text NOT NULL,
	`name` text NOT NULL,
	`cron` text NOT NULL,
	`time_zone` text NOT NULL,
	`command` text NOT NULL,
	`time_limit_seconds` integer NOT NULL,
	`overlap` text NOT NULL,
	`enabled` integer NOT NULL,
	`next_run_at` integer,
	`check_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`service_id`) REFERENCES `services`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `schedules_service_name` ON `schedules` (`service_id`,`name`);
--> statement-breakpoint
CREATE INDEX `schedules_check` ON `schedules` (`check_at`);
--> statement-breakpoint
CREATE TABLE `occurrences` (
	`schedule_id` text NOT NULL,
	`due_at` integer NOT NULL,
	`service_id` text NOT NULL,
	`run_id` text,
	`reason` text,
	`missed` integer NOT NULL,
	PRIMARY KEY(`schedule_id`, `due_at`),
	FOREIGN KEY (`schedule_id`) REFERENCES `schedules`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`service_id`) REFERENCES `services`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`run_id`) REFERENCES `runs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `occurrences_service` ON `occurrences` (`service_id`);
--> statement-breakpoint
CREATE INDEX `occurrences_run` ON `occurrences` (`run_id`);
