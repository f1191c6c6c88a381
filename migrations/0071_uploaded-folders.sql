ALTER TABLE `deployments` ADD `source_digest` text;--> statement-breakpoint
ALTER TABLE `uploads` ADD `used_at` integer;