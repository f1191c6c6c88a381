CREATE TABLE `address_records` (
	`provider_id` text NOT NULL,
	`hostname` text NOT NULL,
	`type` text NOT NULL,
	`address` text NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`provider_id`, `hostname`, `type`),
	FOREIGN KEY (`provider_id`) REFERENCES `dns_providers`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
ALTER TABLE `api_keys` ADD `linked_by` text;--> statement-breakpoint
ALTER TABLE `identities` ADD `linked_by` text;--> statement-breakpoint
ALTER TABLE `passkeys` ADD `linked_by` text;--> statement-breakpoint
ALTER TABLE `git_webhooks` ADD `verified_at` integer;--> statement-breakpoint
ALTER TABLE `github_apps` ADD `requested_by` text;--> statement-breakpoint
ALTER TABLE `github_apps` ADD `verified_at` integer;