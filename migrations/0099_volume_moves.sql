CREATE TABLE `volume_moves` (
	`id` text PRIMARY KEY NOT NULL,
	`service_id` text NOT NULL,
	`from_runner_id` text NOT NULL,
	`to_runner_id` text NOT NULL,
	`job_ids` text NOT NULL,
	`volume_ids` text NOT NULL,
	`status` text NOT NULL,
	`created_at` integer NOT NULL,
	`finished_at` integer,
	FOREIGN KEY (`service_id`) REFERENCES `services`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`from_runner_id`) REFERENCES `runners`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`to_runner_id`) REFERENCES `runners`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `volume_moves_running` ON `volume_moves` (`service_id`) WHERE status = 'running';--> statement-breakpoint
CREATE INDEX `volume_moves_service` ON `volume_moves` (`service_id`);--> statement-breakpoint
CREATE INDEX `volume_moves_from` ON `volume_moves` (`from_runner_id`);--> statement-breakpoint
CREATE INDEX `volume_moves_to` ON `volume_moves` (`to_runner_id`);