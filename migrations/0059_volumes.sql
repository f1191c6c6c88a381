CREATE TABLE `volumes` (
	`id` text PRIMARY KEY NOT NULL,
	`service_id` text NOT NULL,
	`name` text NOT NULL,
	`mount_path` text NOT NULL,
	`size_mb` integer,
	`used_mb` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`service_id`) REFERENCES `services`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `volumes_service_name` ON `volumes` (`service_id`,`name`);--> statement-breakpoint
CREATE UNIQUE INDEX `volumes_service_path` ON `volumes` (`service_id`,`mount_path`);--> statement-breakpoint
-- Instances with several tenants: each gets the quota of a new one, unless it has a quota for volumes.
UPDATE tenants SET quotas = json_patch('{"volumes":500}', quotas) WHERE (SELECT count(*) FROM tenants) > 1;
