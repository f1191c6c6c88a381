CREATE TABLE `proof_records` (
	`provider_id` text NOT NULL,
	`tenant_id` text NOT NULL,
	`hostname` text NOT NULL,
	`value` text NOT NULL,
	`removal_tried_at` integer,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`provider_id`, `tenant_id`, `hostname`),
	FOREIGN KEY (`provider_id`) REFERENCES `dns_providers`(`id`) ON UPDATE no action ON DELETE cascade
);
