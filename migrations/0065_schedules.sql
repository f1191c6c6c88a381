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
CREATE INDEX `occurrences_service` ON `occurrences` (`service_id`);--> statement-breakpoint
CREATE INDEX `occurrences_run` ON `occurrences` (`run_id`);--> statement-breakpoint
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
CREATE UNIQUE INDEX `schedules_service_name` ON `schedules` (`service_id`,`name`);--> statement-breakpoint
CREATE INDEX `schedules_check` ON `schedules` (`check_at`);