CREATE TABLE `github_apps` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`host` text NOT NULL,
	`organization` text,
	`state_hash` text,
	`state_expires_at` integer,
	`app_id` text,
	`slug` text,
	`name` text,
	`owner` text,
	`html_url` text,
	`sealed_secrets` text,
	`deploy_on_push` integer NOT NULL,
	`commit_status` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `github_apps_tenant_host` ON `github_apps` (`tenant_id`,`host`);--> statement-breakpoint
CREATE INDEX `github_apps_state` ON `github_apps` (`state_hash`);--> statement-breakpoint
ALTER TABLE `git_credentials` ADD `github_app_id` text REFERENCES github_apps(id) ON DELETE CASCADE;--> statement-breakpoint
CREATE INDEX `git_credentials_github_app` ON `git_credentials` (`github_app_id`);