CREATE TABLE `restores` (
	`id` text PRIMARY KEY NOT NULL,
	`backup_id` text NOT NULL,
	`service_id` text NOT NULL,
	`job_id` text NOT NULL,
	`safety_backup_id` text NOT NULL,
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
CREATE INDEX `restores_backup` ON `restores` (`backup_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `restores_job` ON `restores` (`job_id`);--> statement-breakpoint
ALTER TABLE `backups` ADD `tables` integer;--> statement-breakpoint
ALTER TABLE `backups` ADD `rows` integer;--> statement-breakpoint
ALTER TABLE `backups` ADD `progress` text;--> statement-breakpoint
CREATE INDEX `backups_job` ON `backups` (`job_id`);--> statement-breakpoint
ALTER TABLE `imports` ADD `safety_backup_id` text;--> statement-breakpoint
ALTER TABLE `imports` ADD `progress` text;--> statement-breakpoint
CREATE INDEX `imports_job` ON `imports` (`job_id`);