ALTER TABLE `projects` ADD `data_key_renewed_at` integer;
--> statement-breakpoint
ALTER TABLE `deletions` ADD `row_bytes` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE `host_tasks` ADD `tenant_id` text;
--> statement-breakpoint
UPDATE `deletions` SET `row_bytes` = (SELECT coalesce(sum(octet_length(`row`)), 0) FROM `deleted_rows` WHERE `deleted_rows`.`resource_id` = `deletions`.`resource_id`);
--> statement-breakpoint
UPDATE `host_tasks` SET `tenant_id` = coalesce(
  (SELECT `tenant_id` FROM `projects` WHERE `id` = `task` ->> 'projectId'),
  (SELECT `tenant_id` FROM `deletions` WHERE `project_id` = `task` ->> 'projectId' LIMIT 1)) WHERE `state` = 'pending';
