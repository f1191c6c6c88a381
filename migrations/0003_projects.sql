CREATE TABLE `projects` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`name` text NOT NULL,
	`slug` text NOT NULL,
	`description` text NOT NULL,
	`wrapped_data_key` text NOT NULL,
	`data_key_renewed_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `projects_tenant_slug` ON `projects` (`tenant_id`,`slug`);
--> statement-breakpoint
CREATE INDEX `projects_tenant_created` ON `projects` (`tenant_id`,`created_at`);
--> statement-breakpoint
CREATE TABLE `services` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`runner_id` text NOT NULL,
	`next_runner_id` text,
	`next_host_port` integer,
	`name` text NOT NULL,
	`slug` text NOT NULL,
	`kind` text NOT NULL,
	`repo_full_name` text,
	`repo_url` text NOT NULL,
	`image_ref` text,
	`branch` text NOT NULL,
	`root_dir` text,
	`sealed_git_token` text,
	`install_command` text,
	`build_command` text,
	`start_command` text,
	`static_output` text,
	`build_method` text NOT NULL,
	`dockerfile_path` text,
	`detected_build_method` text,
	`runtime_mode` text NOT NULL,
	`internal_port` integer NOT NULL,
	`host_port` integer NOT NULL,
	`generated_hostname` text,
	`routes_revision` integer DEFAULT 0 NOT NULL,
	`database_public_enabled` integer NOT NULL,
	`database_public_hostname` text,
	`postgres_logical_replication_enabled` integer NOT NULL,
	`engine_settings` text,
	`default_image_ref` text,
	`health_check_path` text,
	`container_settings` text,
	`health_settings` text,
	`stop_settings` text,
	`traffic_rules` text,
	`replicas` integer DEFAULT 1 NOT NULL,
	`sleep_after_minutes` integer,
	`memory_limit_mb` integer,
	`cpu_limit` real,
	`status` text NOT NULL,
	`crashed` integer DEFAULT false NOT NULL,
	`stopped` integer DEFAULT false NOT NULL,
	`trouble` text,
	`sleep` text,
	`disk_mb` integer,
	`reachable` integer NOT NULL,
	`framework` text,
	`suggested_keys` text NOT NULL,
	`source_files` text,
	`protected` integer DEFAULT false NOT NULL,
	`last_deployed_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`runner_id`) REFERENCES `runners`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`next_runner_id`) REFERENCES `runners`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `services_generated_hostname_unique` ON `services` (`generated_hostname`);
--> statement-breakpoint
CREATE UNIQUE INDEX `services_project_slug` ON `services` (`project_id`,`slug`);
--> statement-breakpoint
CREATE UNIQUE INDEX `services_runner_port` ON `services` (`runner_id`,`host_port`);
--> statement-breakpoint
CREATE INDEX `services_runner` ON `services` (`runner_id`);
--> statement-breakpoint
CREATE UNIQUE INDEX `services_next_runner_port` ON `services` (`next_runner_id`,`next_host_port`);
--> statement-breakpoint
CREATE INDEX `services_project_created` ON `services` (`project_id`,`created_at`);
--> statement-breakpoint
CREATE TABLE `variables` (
	`id` text PRIMARY KEY NOT NULL,
	`service_id` text NOT NULL,
	`key` text NOT NULL,
	`sealed_value` text NOT NULL,
	`secret` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`service_id`) REFERENCES `services`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `variables_service_key` ON `variables` (`service_id`,`key`);
--> statement-breakpoint
CREATE TABLE `volumes` (
	`id` text PRIMARY KEY NOT NULL,
	`service_id` text NOT NULL,
	`name` text NOT NULL,
	`mount_path` text NOT NULL,
	`size_mb` integer,
	`used_mb` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`service_id`) REFERENCES `services`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `volumes_service_name` ON `volumes` (`service_id`,`name`);
--> statement-breakpoint
CREATE UNIQUE INDEX `volumes_service_path` ON `volumes` (`service_id`,`mount_path`);
--> statement-breakpoint
CREATE TABLE `service_files` (
	`service_id` text PRIMARY KEY NOT NULL,
	`sealed_files` text NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`service_id`) REFERENCES `services`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `uploads` (
	`id` text PRIMARY KEY NOT NULL,
	`service_id` text NOT NULL,
	`blob_id` text NOT NULL,
	`size_bytes` integer NOT NULL,
	`checksum` text,
	`import_id` text,
	`used_at` integer,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `uploads_service` ON `uploads` (`service_id`);
--> statement-breakpoint
CREATE INDEX `uploads_import` ON `uploads` (`import_id`);
--> statement-breakpoint
CREATE INDEX `uploads_expiry` ON `uploads` (`expires_at`);
--> statement-breakpoint
CREATE TABLE `upload_parts` (
	`upload_id` text NOT NULL,
	`part` integer NOT NULL,
	`tag` text NOT NULL,
	PRIMARY KEY(`upload_id`, `part`),
	FOREIGN KEY (`upload_id`) REFERENCES `uploads`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TRIGGER `host_tasks_tenant` AFTER INSERT ON `host_tasks` BEGIN UPDATE `host_tasks` SET `tenant_id` = coalesce( (SELECT `tenant_id` FROM `projects` WHERE `id` = new.`task` ->> 'projectId'), (SELECT `tenant_id` FROM `deletions` WHERE `project_id` = new.`task` ->> 'projectId' LIMIT 1)) WHERE `id` = new.`id`; END;
