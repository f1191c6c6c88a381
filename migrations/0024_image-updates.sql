CREATE TABLE `image_updates` (
	`service_id` text PRIMARY KEY NOT NULL,
	`image_ref` text NOT NULL,
	`digest` text,
	`seen_at` integer,
	`handled_digest` text,
	`checked_at` integer,
	`check_at` integer NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL,
	`trouble` text,
	`attempt` text,
	`outcome` text,
	`retry_at` integer,
	`act_at` integer,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`service_id`) REFERENCES `services`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `image_updates_check` ON `image_updates` (`check_at`);--> statement-breakpoint
CREATE INDEX `image_updates_act` ON `image_updates` (`act_at`);--> statement-breakpoint
ALTER TABLE `deployments` ADD `image_digest` text;--> statement-breakpoint
CREATE INDEX `services_image_updates` ON `services` (`id`) WHERE kind = 'image' and push_settings is not null;