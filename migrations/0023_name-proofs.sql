CREATE TABLE `held_names` (
	`hostname` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`held_until` integer NOT NULL
);
--> statement-breakpoint
DROP INDEX `domains_hostname_unique`;--> statement-breakpoint
ALTER TABLE `domains` ADD `is_proven` integer DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE `domains` ADD `proof_checked_at` integer;--> statement-breakpoint
CREATE INDEX `domains_hostname` ON `domains` (`hostname`);--> statement-breakpoint
CREATE UNIQUE INDEX `domains_proven` ON `domains` (`hostname`) WHERE is_proven;--> statement-breakpoint
CREATE INDEX `domains_unproven` ON `domains` (`proof_checked_at`) WHERE not is_proven;--> statement-breakpoint
ALTER TABLE `tenants` ADD `name_token` text DEFAULT '' NOT NULL;