CREATE TABLE `deployments` (
	`id` text PRIMARY KEY NOT NULL,
	`service_id` text NOT NULL,
	`job_id` text NOT NULL,
	`status` text NOT NULL,
	`trigger` text NOT NULL,
	`source_deployment_id` text,
	`commit_sha` text,
	`commit_message` text,
	`commit_author` text,
	`branch` text,
	`source_digest` text,
	`image_tag` text,
	`container_name` text,
	`sealed_snapshot` text,
	`started_at` integer,
	`finished_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`service_id`) REFERENCES `services`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`job_id`) REFERENCES `jobs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `deployments_job_id_unique` ON `deployments` (`job_id`);
--> statement-breakpoint
CREATE INDEX `deployments_service` ON `deployments` (`service_id`,`created_at`);
--> statement-breakpoint
CREATE TABLE `git_webhooks` (
	`service_id` text PRIMARY KEY NOT NULL,
	`sealed_secret` text NOT NULL,
	`created_at` integer NOT NULL,
	`verified_at` integer,
	FOREIGN KEY (`service_id`) REFERENCES `services`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `git_webhook_deliveries` (
	`service_id` text NOT NULL,
	`delivery_id` text NOT NULL,
	`commit_sha` text NOT NULL,
	`deployment_id` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`service_id`, `delivery_id`),
	FOREIGN KEY (`service_id`) REFERENCES `services`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`deployment_id`) REFERENCES `deployments`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `git_webhook_deliveries_deployment` ON `git_webhook_deliveries` (`deployment_id`);
--> statement-breakpoint
CREATE INDEX `git_webhook_deliveries_created` ON `git_webhook_deliveries` (`created_at`);
--> statement-breakpoint
CREATE TABLE `github_apps` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`host` text NOT NULL,
	`organization` text,
	`requested_by` text,
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
	`verified_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `github_apps_tenant_host` ON `github_apps` (`tenant_id`,`host`);
--> statement-breakpoint
CREATE INDEX `github_apps_state` ON `github_apps` (`state_hash`);
--> statement-breakpoint
CREATE TABLE `git_credentials` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`project_id` text,
	`host` text NOT NULL,
	`username` text NOT NULL,
	`sealed_token` text NOT NULL,
	`github_app_id` text,
	`commit_status` text,
	`commit_status_failure` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`github_app_id`) REFERENCES `github_apps`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `git_credentials_tenant` ON `git_credentials` (`tenant_id`);
--> statement-breakpoint
CREATE UNIQUE INDEX `git_credentials_tenant_host` ON `git_credentials` (`tenant_id`,`host`) WHERE project_id is null;
--> statement-breakpoint
CREATE UNIQUE INDEX `git_credentials_project_host` ON `git_credentials` (`project_id`,`host`) WHERE project_id is not null;
--> statement-breakpoint
CREATE INDEX `git_credentials_tenant_place` ON `git_credentials` (`tenant_id`,`host`);
--> statement-breakpoint
CREATE INDEX `git_credentials_github_app` ON `git_credentials` (`github_app_id`);
--> statement-breakpoint
CREATE TABLE `commit_statuses` (
	`service_id` text NOT NULL,
	`commit_sha` text NOT NULL,
	`deployment_id` text NOT NULL,
	`state` text NOT NULL,
	`version` integer NOT NULL,
	`attempts` integer NOT NULL,
	`next_attempt_at` integer NOT NULL,
	PRIMARY KEY(`service_id`, `commit_sha`)
);
--> statement-breakpoint
CREATE INDEX `commit_statuses_next_attempt` ON `commit_statuses` (`next_attempt_at`);
--> statement-breakpoint
CREATE TABLE `registries` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`host` text NOT NULL,
	`username` text NOT NULL,
	`sealed_password` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `registries_tenant_host` ON `registries` (`tenant_id`,`host`);
--> statement-breakpoint
CREATE TRIGGER `deployments_commit_status` AFTER UPDATE OF `status`, `commit_sha` ON `deployments` WHEN NEW.`trigger` IN ('manual', 'webhook') AND NEW.`status` <> 'superseded' AND (NEW.`status` <> OLD.`status` OR NEW.`commit_sha` IS NOT OLD.`commit_sha`) AND EXISTS (SELECT 1 FROM `services` JOIN `projects` ON `projects`.`id` = `services`.`project_id` JOIN `git_credentials` ON `git_credentials`.`tenant_id` = `projects`.`tenant_id` AND coalesce(`git_credentials`.`project_id`, `projects`.`id`) = `projects`.`id` WHERE `services`.`id` = NEW.`service_id` AND `git_credentials`.`commit_status` IS NOT NULL) BEGIN INSERT INTO `commit_statuses` (`service_id`, `commit_sha`, `deployment_id`, `state`, `version`, `attempts`, `next_attempt_at`) SELECT NEW.`service_id`, `sha`, NEW.`id`, iif(`sha` = coalesce(NEW.`commit_sha`, `sha`), NEW.`status`, 'replaced'), 0, 0, 0 FROM (SELECT NEW.`commit_sha` AS `sha` UNION SELECT `commit_sha` FROM `git_webhook_deliveries` WHERE `deployment_id` = NEW.`id`) WHERE `sha` IS NOT NULL ON CONFLICT (`service_id`, `commit_sha`) DO UPDATE SET `deployment_id` = excluded.`deployment_id`, `state` = excluded.`state`, `version` = `version` + 1, `attempts` = 0, `next_attempt_at` = 0; END;
--> statement-breakpoint
CREATE TRIGGER `deliveries_commit_status` AFTER INSERT ON `git_webhook_deliveries` WHEN EXISTS (SELECT 1 FROM `services` JOIN `projects` ON `projects`.`id` = `services`.`project_id` JOIN `git_credentials` ON `git_credentials`.`tenant_id` = `projects`.`tenant_id` AND coalesce(`git_credentials`.`project_id`, `projects`.`id`) = `projects`.`id` WHERE `services`.`id` = NEW.`service_id` AND `git_credentials`.`commit_status` IS NOT NULL) BEGIN INSERT INTO `commit_statuses` (`service_id`, `commit_sha`, `deployment_id`, `state`, `version`, `attempts`, `next_attempt_at`) SELECT NEW.`service_id`, NEW.`commit_sha`, `id`, iif(`status` = 'superseded', 'replaced', `status`), 0, 0, 0 FROM `deployments` WHERE `id` = NEW.`deployment_id` ON CONFLICT (`service_id`, `commit_sha`) DO UPDATE SET `deployment_id` = excluded.`deployment_id`, `state` = excluded.`state`, `version` = `version` + 1, `attempts` = 0, `next_attempt_at` = 0; END;
