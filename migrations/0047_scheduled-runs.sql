CREATE TABLE `scheduled_runs` (
	`schedule` text PRIMARY KEY NOT NULL,
	`started_at` integer NOT NULL,
	`duration_ms` integer NOT NULL,
	`failed` text NOT NULL
);
