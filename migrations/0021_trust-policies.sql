CREATE TABLE `trust_policies` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`provider` text NOT NULL,
	`issuer` text NOT NULL,
	`audience` text NOT NULL,
	`repository` text,
	`subject` text,
	`repository_id` text,
	`owner_id` text,
	`branches` text NOT NULL,
	`tags` text NOT NULL,
	`environment` text,
	`events` text NOT NULL,
	`expires_in_minutes` integer NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`id`) REFERENCES `api_keys`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `trust_policies_project` ON `trust_policies` (`project_id`,`created_at`);