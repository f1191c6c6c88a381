CREATE TABLE `runner_processes` (
	`runner_id` text PRIMARY KEY NOT NULL,
	`boot_ids` text NOT NULL,
	`clock_ahead_ms` integer,
	FOREIGN KEY (`runner_id`) REFERENCES `runners`(`id`) ON UPDATE no action ON DELETE cascade
);
