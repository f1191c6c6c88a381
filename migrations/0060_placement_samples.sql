DROP INDEX `runners_tenant`;--> statement-breakpoint
CREATE INDEX `runners_shared` ON `runners` (`shared`,`id`);--> statement-breakpoint
CREATE INDEX `runners_tenant` ON `runners` (`tenant_id`,`id`);--> statement-breakpoint
CREATE INDEX `deleted_services_runner` ON `deleted_rows` (row ->> 'runner_id') WHERE source = 'services';