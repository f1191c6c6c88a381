ALTER TABLE `imports` ADD `continue_on_error` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `imports` ADD `skipped` text;