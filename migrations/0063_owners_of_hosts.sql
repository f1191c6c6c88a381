DROP INDEX `runners_tenant`;--> statement-breakpoint
CREATE INDEX `runners_owner` ON `runners` (coalesce(tenant_id, 'default'),`id`);--> statement-breakpoint
CREATE INDEX `runners_tenant` ON `runners` (`tenant_id`);