ALTER TABLE `alerts` ADD `flap_event_id` text;--> statement-breakpoint
ALTER TABLE `alerts` ADD `absent_since` integer;--> statement-breakpoint
CREATE INDEX `alerts_condition` ON `alerts` (`subject_id`,`rule`,`raised_at`);--> statement-breakpoint
CREATE INDEX `alerts_absent` ON `alerts` (`absent_since`) WHERE absent_since is not null;