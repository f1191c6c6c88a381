ALTER TABLE `audit_log` ADD `acted_by` text;--> statement-breakpoint
ALTER TABLE `events` ADD `started_by` text;--> statement-breakpoint
ALTER TABLE `jobs` ADD `started_by` text;