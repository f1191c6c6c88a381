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
CREATE INDEX `drills_backup` ON `drills` (`backup_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `drills_service` ON `drills` (`service_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `drills_job` ON `drills` (`job_id`);--> statement-breakpoint
ALTER TABLE `backup_settings` ADD `noted_drill_at` integer DEFAULT 0 NOT NULL;