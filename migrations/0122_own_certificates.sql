CREATE TABLE `own_certificates` (
	`domain_id` text PRIMARY KEY NOT NULL,
	`service_id` text NOT NULL,
	`hostname` text NOT NULL,
	`facts` text NOT NULL,
	`sealed_certificate` text NOT NULL,
	`boxes` text NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`domain_id`) REFERENCES `domains`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`service_id`) REFERENCES `services`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `own_certificates_service` ON `own_certificates` (`service_id`);