CREATE TABLE `device_tokens` (
	`token_id` text PRIMARY KEY NOT NULL,
	`secret_hash` text NOT NULL,
	`session_id` text,
	`user_code_hash` text,
	`device` text,
	`address` text,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`polled_at` integer,
	`denied_at` integer,
	`used_at` integer,
	`replaces` text,
	FOREIGN KEY (`session_id`) REFERENCES `api_keys`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `device_tokens_user_code_hash_unique` ON `device_tokens` (`user_code_hash`);--> statement-breakpoint
CREATE INDEX `device_tokens_session` ON `device_tokens` (`session_id`);--> statement-breakpoint
CREATE INDEX `device_tokens_expires` ON `device_tokens` (`expires_at`);--> statement-breakpoint
ALTER TABLE `api_keys` ADD `token_until` integer;