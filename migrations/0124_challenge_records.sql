CREATE TABLE `challenge_records` (
	`provider_id` text NOT NULL,
	`hostname` text NOT NULL,
	`value` text NOT NULL,
	`runner_id` text NOT NULL,
	`is_wanted` integer NOT NULL,
	`created_at` integer NOT NULL,
	`removal_tried_at` integer,
	PRIMARY KEY(`provider_id`, `hostname`, `value`),
	FOREIGN KEY (`provider_id`) REFERENCES `dns_providers`(`id`) ON UPDATE no action ON DELETE cascade
);
