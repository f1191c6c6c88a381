CREATE TABLE `git_webhook_deliveries` (
	`service_id` text NOT NULL,
	`delivery_id` text NOT NULL,
	`commit_sha` text NOT NULL,
	`deployment_id` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`service_id`, `delivery_id`),
	FOREIGN KEY (`service_id`) REFERENCES `services`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`deployment_id`) REFERENCES `deployments`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `git_webhook_deliveries_deployment` ON `git_webhook_deliveries` (`deployment_id`);--> statement-breakpoint
CREATE INDEX `git_webhook_deliveries_created` ON `git_webhook_deliveries` (`created_at`);--> statement-breakpoint
CREATE TABLE `git_webhooks` (
	`service_id` text PRIMARY KEY NOT NULL,
	`sealed_secret` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`service_id`) REFERENCES `services`(`id`) ON UPDATE no action ON DELETE cascade
);
