CREATE TABLE `claim_turns` (
	`runner_id` text NOT NULL,
	`tenant_id` text NOT NULL,
	`place` text NOT NULL,
	`claimed_at` integer NOT NULL,
	PRIMARY KEY(`runner_id`, `tenant_id`, `place`),
	FOREIGN KEY (`runner_id`) REFERENCES `runners`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `jobs_open_of_service` ON `jobs` (`service_id`) WHERE state in ('queued', 'active');