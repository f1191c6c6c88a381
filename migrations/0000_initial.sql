CREATE TABLE `api_key_projects` (
	`key_id` text NOT NULL,
	`project_id` text NOT NULL,
	PRIMARY KEY(`key_id`, `project_id`),
	FOREIGN KEY (`key_id`) REFERENCES `api_keys`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `api_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`name` text NOT NULL,
	`access` text NOT NULL,
	`all_projects` integer NOT NULL,
	`token_id` text NOT NULL,
	`secret_hash` text NOT NULL,
	`previous_token_id` text,
	`previous_secret_hash` text,
	`previous_until` integer,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`revoked_at` integer,
	`last_used_at` integer,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_token_id_unique` ON `api_keys` (`token_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_previous_token_id_unique` ON `api_keys` (`previous_token_id`);--> statement-breakpoint
CREATE INDEX `api_keys_tenant` ON `api_keys` (`tenant_id`);--> statement-breakpoint
CREATE TABLE `audit_log` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text,
	`actor` text NOT NULL,
	`route` text NOT NULL,
	`resource_id` text,
	`status` integer NOT NULL,
	`request_id` text NOT NULL,
	`address_hash` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `audit_log_created` ON `audit_log` (`created_at`);--> statement-breakpoint
CREATE INDEX `audit_log_tenant` ON `audit_log` (`tenant_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `failed_sign_ins` (
	`minute` integer NOT NULL,
	`address_hash` text NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`minute`, `address_hash`)
);
--> statement-breakpoint
CREATE TABLE `idempotency_keys` (
	`key_id` text NOT NULL,
	`idempotency_key` text NOT NULL,
	`request_hash` text NOT NULL,
	`response` text,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`key_id`, `idempotency_key`)
);
--> statement-breakpoint
CREATE INDEX `idempotency_keys_created` ON `idempotency_keys` (`created_at`);--> statement-breakpoint
CREATE TABLE `backup_settings` (
	`service_id` text PRIMARY KEY NOT NULL,
	`storage` text NOT NULL,
	`automatic_enabled` integer NOT NULL,
	`daily_enabled` integer NOT NULL,
	`weekly_enabled` integer NOT NULL,
	`monthly_enabled` integer NOT NULL,
	`drill` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`service_id`) REFERENCES `services`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `backups` (
	`id` text PRIMARY KEY NOT NULL,
	`service_id` text NOT NULL,
	`job_id` text,
	`engine` text NOT NULL,
	`status` text NOT NULL,
	`trigger` text NOT NULL,
	`storage` text NOT NULL,
	`format` text NOT NULL,
	`local_path` text,
	`remote_key` text,
	`size_bytes` integer NOT NULL,
	`checksum` text NOT NULL,
	`error` text,
	`last_proven_at` integer,
	`created_at` integer NOT NULL,
	`started_at` integer NOT NULL,
	`finished_at` integer,
	FOREIGN KEY (`service_id`) REFERENCES `services`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`job_id`) REFERENCES `jobs`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `backups_service` ON `backups` (`service_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `imports` (
	`id` text PRIMARY KEY NOT NULL,
	`service_id` text NOT NULL,
	`job_id` text,
	`engine` text NOT NULL,
	`source` text NOT NULL,
	`source_label` text NOT NULL,
	`sealed_source` text,
	`status` text NOT NULL,
	`error` text,
	`created_at` integer NOT NULL,
	`started_at` integer NOT NULL,
	`finished_at` integer,
	FOREIGN KEY (`service_id`) REFERENCES `services`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`job_id`) REFERENCES `jobs`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `imports_service` ON `imports` (`service_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `deployments` (
	`id` text PRIMARY KEY NOT NULL,
	`service_id` text NOT NULL,
	`job_id` text NOT NULL,
	`status` text NOT NULL,
	`trigger` text NOT NULL,
	`commit_sha` text,
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
CREATE UNIQUE INDEX `deployments_job_id_unique` ON `deployments` (`job_id`);--> statement-breakpoint
CREATE INDEX `deployments_service` ON `deployments` (`service_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `domains` (
	`id` text PRIMARY KEY NOT NULL,
	`service_id` text NOT NULL,
	`hostname` text NOT NULL,
	`status` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`service_id`) REFERENCES `services`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `domains_hostname_unique` ON `domains` (`hostname`);--> statement-breakpoint
CREATE INDEX `domains_service` ON `domains` (`service_id`);--> statement-breakpoint
CREATE TABLE `host_tasks` (
	`id` text PRIMARY KEY NOT NULL,
	`runner_id` text NOT NULL,
	`task` text NOT NULL,
	`state` text NOT NULL,
	`due_at` integer NOT NULL,
	`detail` text,
	`created_at` integer NOT NULL,
	`finished_at` integer
);
--> statement-breakpoint
CREATE INDEX `host_tasks_pending` ON `host_tasks` (`runner_id`,`state`,`due_at`);--> statement-breakpoint
CREATE TABLE `jobs` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`service_id` text NOT NULL,
	`runner_id` text NOT NULL,
	`state` text NOT NULL,
	`phase` text,
	`epoch` integer NOT NULL,
	`abort_requested_at` integer,
	`result_id` text,
	`failure_code` text,
	`failure_message` text,
	`queued_at` integer NOT NULL,
	`claimed_at` integer,
	`deadline_at` integer,
	`finished_at` integer,
	FOREIGN KEY (`service_id`) REFERENCES `services`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`runner_id`) REFERENCES `runners`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `jobs_one_active_per_service` ON `jobs` (`service_id`) WHERE state = 'active';--> statement-breakpoint
CREATE INDEX `jobs_runner_state` ON `jobs` (`runner_id`,`state`,`queued_at`);--> statement-breakpoint
CREATE INDEX `jobs_open` ON `jobs` (`state`) WHERE state in ('queued', 'active');--> statement-breakpoint
CREATE TABLE `log_purges` (
	`stream_name` text PRIMARY KEY NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `projects` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`name` text NOT NULL,
	`slug` text NOT NULL,
	`description` text NOT NULL,
	`wrapped_data_key` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `projects_tenant_slug` ON `projects` (`tenant_id`,`slug`);--> statement-breakpoint
CREATE TABLE `enrolment_tokens` (
	`id` integer PRIMARY KEY NOT NULL,
	`token_hash` text NOT NULL,
	`tenant_id` text,
	`name` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`used_at` integer,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `enrolment_tokens_token_hash_unique` ON `enrolment_tokens` (`token_hash`);--> statement-breakpoint
CREATE TABLE `runners` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text,
	`name` text NOT NULL,
	`identity_key` text NOT NULL,
	`sealing_key` text NOT NULL,
	`facts` text NOT NULL,
	`drained` integer NOT NULL,
	`revoked_at` integer,
	`connected_at` integer,
	`disconnected_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `services` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`runner_id` text NOT NULL,
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
	`database_public_enabled` integer NOT NULL,
	`database_public_hostname` text,
	`postgres_logical_replication_enabled` integer NOT NULL,
	`health_check_path` text,
	`memory_limit_mb` integer,
	`cpu_limit` real,
	`status` text NOT NULL,
	`reachable` integer NOT NULL,
	`framework` text,
	`suggested_keys` text NOT NULL,
	`last_deployed_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`runner_id`) REFERENCES `runners`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `services_generated_hostname_unique` ON `services` (`generated_hostname`);--> statement-breakpoint
CREATE UNIQUE INDEX `services_project_slug` ON `services` (`project_id`,`slug`);--> statement-breakpoint
CREATE UNIQUE INDEX `services_runner_port` ON `services` (`runner_id`,`host_port`);--> statement-breakpoint
CREATE INDEX `services_runner` ON `services` (`runner_id`);--> statement-breakpoint
CREATE TABLE `ai_providers` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`base_url` text,
	`default_model` text NOT NULL,
	`sealed_credentials` text NOT NULL,
	`enabled` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `dns_providers` (
	`id` text PRIMARY KEY NOT NULL,
	`sealed_credentials` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `settings` (
	`name` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `tenants` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`quotas` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tenants_name_unique` ON `tenants` (`name`);--> statement-breakpoint
CREATE TABLE `variables` (
	`id` text PRIMARY KEY NOT NULL,
	`service_id` text NOT NULL,
	`key` text NOT NULL,
	`sealed_value` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`service_id`) REFERENCES `services`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `variables_service_key` ON `variables` (`service_id`,`key`);