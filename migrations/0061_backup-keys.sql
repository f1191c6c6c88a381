CREATE TABLE `backup_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`recipient` text NOT NULL,
	`sealed_identity` text NOT NULL,
	`created_at` integer NOT NULL,
	`retired_at` integer,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `backup_keys_current` ON `backup_keys` (`tenant_id`) WHERE retired_at is null;--> statement-breakpoint
CREATE INDEX `backup_keys_tenant` ON `backup_keys` (`tenant_id`);--> statement-breakpoint
ALTER TABLE `backups` ADD `encrypted_with` text;--> statement-breakpoint
CREATE INDEX `backups_encrypted` ON `backups` (`encrypted_with`) WHERE encrypted_with is not null;
