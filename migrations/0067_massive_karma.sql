ALTER TABLE `backups` ADD `volume_id` text;--> statement-breakpoint
ALTER TABLE `backups` ADD `quiesce` text;