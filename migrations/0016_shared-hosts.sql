ALTER TABLE `enrolment_tokens` ADD `shared` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `runners` ADD `shared` integer DEFAULT false NOT NULL;
