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
CREATE INDEX `events_next_attempt` ON `events` (`next_attempt_at`) WHERE next_attempt_at is not null;--> statement-breakpoint
CREATE INDEX `events_created` ON `events` (`created_at`);