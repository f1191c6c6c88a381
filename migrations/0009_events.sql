CREATE TABLE `events` (
	`id` text PRIMARY KEY NOT NULL,
	`type` text NOT NULL,
	`tenant_id` text NOT NULL,
	`project_id` text NOT NULL,
	`service_id` text NOT NULL,
	`project_name` text NOT NULL,
	`service_name` text NOT NULL,
	`resource_id` text NOT NULL,
	`trigger` text,
	`error` text,
	`attempts` integer DEFAULT 0 NOT NULL,
	`next_attempt_at` integer,
	`last_failure` text,
	`delivered_at` integer,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `events_next_attempt` ON `events` (`next_attempt_at`) WHERE next_attempt_at is not null;
--> statement-breakpoint
CREATE INDEX `events_created` ON `events` (`created_at`);
--> statement-breakpoint
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
CREATE UNIQUE INDEX `notification_channels_name` ON `notification_channels` (`tenant_id`,`name`);
--> statement-breakpoint
CREATE INDEX `notification_channels_project` ON `notification_channels` (`project_id`);
--> statement-breakpoint
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
CREATE INDEX `notifications_event` ON `notifications` (`event_id`);
--> statement-breakpoint
CREATE INDEX `notifications_next_attempt` ON `notifications` (`next_attempt_at`) WHERE next_attempt_at is not null;
--> statement-breakpoint
CREATE TABLE `alerts` (
	`id` text PRIMARY KEY NOT NULL,
	`rule` text NOT NULL,
	`subject_id` text NOT NULL,
	`tenant_id` text NOT NULL,
	`project_id` text NOT NULL,
	`service_id` text NOT NULL,
	`runner_id` text NOT NULL,
	`name` text NOT NULL,
	`detail` text NOT NULL,
	`end_event_id` text NOT NULL,
	`is_told` integer NOT NULL,
	`raised_at` integer NOT NULL,
	`resolved_at` integer,
	`acknowledged_by` text,
	`acknowledged_at` integer,
	`silenced_by` text,
	`silenced_until` integer,
	`flap_event_id` text,
	`absent_since` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `alerts_open` ON `alerts` (`subject_id`,`rule`) WHERE resolved_at is null;
--> statement-breakpoint
CREATE INDEX `alerts_of_host` ON `alerts` (`runner_id`,`rule`) WHERE resolved_at is null;
--> statement-breakpoint
CREATE INDEX `alerts_tenant` ON `alerts` (`tenant_id`,`raised_at`);
--> statement-breakpoint
CREATE INDEX `alerts_raised` ON `alerts` (`raised_at`);
--> statement-breakpoint
CREATE INDEX `alerts_silenced` ON `alerts` (`subject_id`,`rule`,`silenced_until`) WHERE silenced_until is not null;
--> statement-breakpoint
CREATE INDEX `alerts_condition` ON `alerts` (`subject_id`,`rule`,`raised_at`);
--> statement-breakpoint
CREATE INDEX `alerts_absent` ON `alerts` (`absent_since`) WHERE absent_since is not null;
--> statement-breakpoint
CREATE TABLE `alert_rules` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`service_id` text NOT NULL,
	`runner_id` text NOT NULL,
	`name` text NOT NULL,
	`metric` text NOT NULL,
	`comparison` text NOT NULL,
	`threshold` real NOT NULL,
	`for_seconds` integer NOT NULL,
	`enabled` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `alert_rules_project` ON `alert_rules` (`project_id`,`created_at`);
--> statement-breakpoint
CREATE TABLE `alert_switches` (
	`project_id` text NOT NULL,
	`rule` text NOT NULL,
	`off_since` integer NOT NULL,
	PRIMARY KEY(`project_id`, `rule`)
);
--> statement-breakpoint
CREATE TRIGGER `events_notify` AFTER INSERT ON `events` BEGIN INSERT INTO `notifications` (`channel_id`, `event_id`, `attempts`, `next_attempt_at`, `created_at`) SELECT `id`, NEW.`id`, 0, NEW.`created_at`, NEW.`created_at` FROM `notification_channels` WHERE `tenant_id` = NEW.`tenant_id` AND `enabled` AND coalesce(`project_id`, NEW.`project_id`) = NEW.`project_id` AND EXISTS (SELECT 1 FROM json_each(`events`) WHERE `value` IN ('*', NEW.`type`)); END;
