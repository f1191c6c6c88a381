CREATE TABLE `service_files` (
	`service_id` text PRIMARY KEY NOT NULL,
	`sealed_files` text NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`service_id`) REFERENCES `services`(`id`) ON UPDATE no action ON DELETE cascade
);
