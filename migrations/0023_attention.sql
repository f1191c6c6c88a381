CREATE INDEX `backups_failed_of_service` ON `backups` (`service_id`) WHERE status = 'failed';--> statement-breakpoint
CREATE INDEX `alerts_open_of_tenant` ON `alerts` (`tenant_id`,`raised_at`) WHERE resolved_at is null;--> statement-breakpoint
CREATE INDEX `notifications_channel` ON `notifications` (`channel_id`,`created_at`);