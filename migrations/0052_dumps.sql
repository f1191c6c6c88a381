CREATE TABLE `dumps` (
	`id` text PRIMARY KEY NOT NULL,
	`state` text NOT NULL,
	`position` integer DEFAULT 0 NOT NULL,
	`after_row` integer DEFAULT 0 NOT NULL,
	`parts` integer DEFAULT 0 NOT NULL,
	`rows` integer DEFAULT 0 NOT NULL,
	`bytes` integer DEFAULT 0 NOT NULL,
	`started_at` integer NOT NULL,
	`finished_at` integer
);
--> statement-breakpoint
CREATE INDEX `dumps_started` ON `dumps` (`started_at`);
