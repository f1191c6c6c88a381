ALTER TABLE `api_keys` ADD `linked_by` text;--> statement-breakpoint
ALTER TABLE `identities` ADD `linked_by` text;--> statement-breakpoint
ALTER TABLE `passkeys` ADD `linked_by` text;