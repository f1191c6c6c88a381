ALTER TABLE `backup_settings` ADD `next_look_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `backup_settings` ADD `noted_due_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `backup_settings_next_look` ON `backup_settings` (`next_look_at`);--> statement-breakpoint
CREATE INDEX `backups_failed` ON `backups` (`created_at`) WHERE status = 'failed';