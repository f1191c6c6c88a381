CREATE TABLE `notification_channels` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`project_id` text,
	`name` text NOT NULL,
	`kind` text NOT NULL,
	`target` text NOT NULL,
	`sealed_config` text NOT NULL,
	`events` text NOT NULL,
	`quiet_hours` text,
	`enabled` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `notification_channels_name` ON `notification_channels` (`tenant_id`,`name`);--> statement-breakpoint
CREATE INDEX `notification_channels_project` ON `notification_channels` (`project_id`);--> statement-breakpoint
CREATE TABLE `notifications` (
	`channel_id` text NOT NULL,
	`event_id` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`next_attempt_at` integer,
	`last_failure` text,
	`delivered_at` integer,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`channel_id`, `event_id`),
	FOREIGN KEY (`channel_id`) REFERENCES `notification_channels`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`event_id`) REFERENCES `events`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `notifications_event` ON `notifications` (`event_id`);--> statement-breakpoint
CREATE INDEX `notifications_next_attempt` ON `notifications` (`next_attempt_at`) WHERE next_attempt_at is not null;--> statement-breakpoint
CREATE TABLE `commit_statuses` (
	`service_id` text NOT NULL,
	`commit_sha` text NOT NULL,
	`deployment_id` text NOT NULL,
	`state` text NOT NULL,
	`version` integer NOT NULL,
	`attempts` integer NOT NULL,
	`next_attempt_at` integer NOT NULL,
	PRIMARY KEY(`service_id`, `commit_sha`)
);
--> statement-breakpoint
CREATE INDEX `commit_statuses_next_attempt` ON `commit_statuses` (`next_attempt_at`);--> statement-breakpoint
ALTER TABLE `git_credentials` ADD `commit_status` text;--> statement-breakpoint
ALTER TABLE `git_credentials` ADD `commit_status_failure` text;--> statement-breakpoint
ALTER TABLE `runners` ADD `away_reported_at` integer;--> statement-breakpoint
CREATE INDEX `runners_unreported` ON `runners` (`disconnected_at`) WHERE connected_at is null and away_reported_at is null;--> statement-breakpoint
CREATE INDEX `runners_reported` ON `runners` (`away_reported_at`) WHERE away_reported_at is not null;