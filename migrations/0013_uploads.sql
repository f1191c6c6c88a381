CREATE TABLE `upload_parts` (
	`upload_id` text NOT NULL,
	`part` integer NOT NULL,
	`tag` text NOT NULL,
	PRIMARY KEY(`upload_id`, `part`),
	FOREIGN KEY (`upload_id`) REFERENCES `uploads`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `uploads` (
	`id` text PRIMARY KEY NOT NULL,
	`service_id` text NOT NULL,
	`blob_id` text NOT NULL,
	`size_bytes` integer NOT NULL,
	`checksum` text,
	`import_id` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `uploads_service` ON `uploads` (`service_id`);--> statement-breakpoint
CREATE INDEX `uploads_import` ON `uploads` (`import_id`);--> statement-breakpoint
CREATE INDEX `uploads_expiry` ON `uploads` (`expires_at`);