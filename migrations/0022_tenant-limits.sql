CREATE TABLE `tenant_days` (
	`tenant_id` text NOT NULL,
	`day` integer NOT NULL,
	`build_ms` integer NOT NULL,
	`log_bytes` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `day`),
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
ALTER TABLE `services` ADD `disk_mb` integer;