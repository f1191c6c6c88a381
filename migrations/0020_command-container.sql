ALTER TABLE `runs` ADD `container` text DEFAULT 'new' NOT NULL;--> statement-breakpoint
ALTER TABLE `schedules` ADD `container` text DEFAULT 'new' NOT NULL;