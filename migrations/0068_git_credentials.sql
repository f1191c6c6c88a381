CREATE TABLE `git_credentials` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`project_id` text,
	`host` text NOT NULL,
	`username` text NOT NULL,
	`sealed_token` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `git_credentials_tenant` ON `git_credentials` (`tenant_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `git_credentials_tenant_host` ON `git_credentials` (`tenant_id`,`host`) WHERE project_id is null;--> statement-breakpoint
CREATE UNIQUE INDEX `git_credentials_project_host` ON `git_credentials` (`project_id`,`host`) WHERE project_id is not null;