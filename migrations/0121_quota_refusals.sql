CREATE TABLE `quota_refusals` (
	`tenant_id` text NOT NULL,
	`quota` text NOT NULL,
	`refused_at` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `quota`),
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `quota_refusals_time` ON `quota_refusals` (`refused_at`);