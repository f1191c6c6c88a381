DROP INDEX `jobs_open_of_service`;--> statement-breakpoint
CREATE INDEX `jobs_service` ON `jobs` (`service_id`,`state`);--> statement-breakpoint
CREATE INDEX `api_key_projects_project` ON `api_key_projects` (`project_id`);--> statement-breakpoint
CREATE INDEX `restores_service` ON `restores` (`service_id`);--> statement-breakpoint
CREATE INDEX `claim_turns_tenant` ON `claim_turns` (`tenant_id`);--> statement-breakpoint
CREATE INDEX `enrolment_tokens_tenant` ON `enrolment_tokens` (`tenant_id`);--> statement-breakpoint
CREATE INDEX `runners_tenant` ON `runners` (`tenant_id`);