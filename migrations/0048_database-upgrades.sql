CREATE TABLE `database_upgrades` (
	`id` text PRIMARY KEY NOT NULL,
	`service_id` text NOT NULL,
	`job_id` text NOT NULL,
	`action` text NOT NULL,
	`from_image` text NOT NULL,
	`to_image` text NOT NULL,
	`undoes` text,
	`accept_not_kept` integer NOT NULL,
	`safety_backup_id` text,
	`status` text NOT NULL,
	`progress` text,
	`error` text,
	`created_at` integer NOT NULL,
	`finished_at` integer,
	FOREIGN KEY (`service_id`) REFERENCES `services`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`job_id`) REFERENCES `jobs`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `database_upgrades_service` ON `database_upgrades` (`service_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `database_upgrades_job` ON `database_upgrades` (`job_id`);