ALTER TABLE `deployments` ADD `source_deployment_id` text;--> statement-breakpoint
ALTER TABLE `domains` ADD `dns_detail` text;--> statement-breakpoint
ALTER TABLE `domains` ADD `checked_at` integer;--> statement-breakpoint
ALTER TABLE `domains` ADD `certificate` text;--> statement-breakpoint
ALTER TABLE `host_tasks` ADD `ok` integer;--> statement-breakpoint
ALTER TABLE `services` ADD `routes_revision` integer DEFAULT 0 NOT NULL;