CREATE TABLE `tenants` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`quotas` text NOT NULL,
	`name_token` text DEFAULT '' NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tenants_name_unique` ON `tenants` (`name`);
--> statement-breakpoint
CREATE INDEX `tenants_created` ON `tenants` (`created_at`);
--> statement-breakpoint
CREATE TABLE `tenant_usage` (
	`tenant_id` text PRIMARY KEY NOT NULL,
	`projects` integer DEFAULT 0 NOT NULL,
	`services` integer DEFAULT 0 NOT NULL,
	`domains` integer DEFAULT 0 NOT NULL,
	`volumes` integer DEFAULT 0 NOT NULL,
	`memory_mb` integer DEFAULT 0 NOT NULL,
	`disk_mb` integer DEFAULT 0 NOT NULL,
	`backup_bytes` integer DEFAULT 0 NOT NULL,
	`log_bytes` integer DEFAULT 0 NOT NULL,
	`kept_deletions` integer DEFAULT 0 NOT NULL,
	`kept_deletion_bytes` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `tenant_days` (
	`tenant_id` text NOT NULL,
	`day` integer NOT NULL,
	`build_ms` integer NOT NULL,
	`log_bytes` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `day`),
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `quota_refusals` (
	`tenant_id` text NOT NULL,
	`quota` text NOT NULL,
	`refused_at` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `quota`),
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `quota_refusals_time` ON `quota_refusals` (`refused_at`);
--> statement-breakpoint
CREATE TRIGGER `tenants_name_token` AFTER INSERT ON `tenants` WHEN NEW.`name_token` = '' BEGIN UPDATE `tenants` SET `name_token` = lower(hex(randomblob(16))) WHERE `id` = NEW.`id`; END;
--> statement-breakpoint
CREATE TRIGGER `tenants_insert_usage` AFTER INSERT ON `tenants` BEGIN INSERT OR IGNORE INTO `tenant_usage` (`tenant_id`) VALUES (NEW.`id`); END;
--> statement-breakpoint
INSERT INTO `tenants` (`id`, `name`, `quotas`, `created_at`) VALUES ('default', 'default', '{}', 0);
