ALTER TABLE `api_keys` ADD `made_by` text REFERENCES api_keys(id);--> statement-breakpoint
CREATE INDEX `api_keys_made_by` ON `api_keys` (`made_by`);