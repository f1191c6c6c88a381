CREATE TABLE `awaited_pushes` (
	`service_id` text PRIMARY KEY NOT NULL,
	`delivery_id` text NOT NULL,
	`commit_sha` text NOT NULL,
	`commit_message` text,
	`repo_url` text NOT NULL,
	`branch` text NOT NULL,
	`started_by` text NOT NULL,
	`state` text NOT NULL,
	`detail` text,
	`replaced` text NOT NULL,
	`created_at` integer NOT NULL,
	`looked_at` integer,
	`looks` integer NOT NULL,
	`next_look_at` integer,
	FOREIGN KEY (`service_id`) REFERENCES `services`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `awaited_pushes_next_look` ON `awaited_pushes` (`next_look_at`);--> statement-breakpoint
CREATE TRIGGER `awaited_pushes_insert_commit_status` AFTER INSERT ON `awaited_pushes` WHEN EXISTS (SELECT 1 FROM `services` JOIN `projects` ON `projects`.`id` = `services`.`project_id` JOIN `git_credentials` ON `git_credentials`.`tenant_id` = `projects`.`tenant_id` AND coalesce(`git_credentials`.`project_id`, `projects`.`id`) = `projects`.`id` WHERE `services`.`id` = NEW.`service_id` AND `git_credentials`.`commit_status` IS NOT NULL) BEGIN INSERT INTO `commit_statuses` (`service_id`, `commit_sha`, `deployment_id`, `state`, `version`, `attempts`, `next_attempt_at`) VALUES (NEW.`service_id`, NEW.`commit_sha`, '', iif(NEW.`state` = 'waiting', 'awaiting', iif(NEW.`state` = 'dropped', 'aborted', 'refused')), 0, 0, 0) ON CONFLICT (`service_id`, `commit_sha`) DO UPDATE SET `deployment_id` = excluded.`deployment_id`, `state` = excluded.`state`, `version` = `version` + 1, `attempts` = 0, `next_attempt_at` = 0; END;
--> statement-breakpoint
CREATE TRIGGER `awaited_pushes_update_commit_status` AFTER UPDATE OF `state`, `commit_sha` ON `awaited_pushes` WHEN (NEW.`state` <> OLD.`state` OR NEW.`commit_sha` <> OLD.`commit_sha`) AND EXISTS (SELECT 1 FROM `services` JOIN `projects` ON `projects`.`id` = `services`.`project_id` JOIN `git_credentials` ON `git_credentials`.`tenant_id` = `projects`.`tenant_id` AND coalesce(`git_credentials`.`project_id`, `projects`.`id`) = `projects`.`id` WHERE `services`.`id` = NEW.`service_id` AND `git_credentials`.`commit_status` IS NOT NULL) BEGIN INSERT INTO `commit_statuses` (`service_id`, `commit_sha`, `deployment_id`, `state`, `version`, `attempts`, `next_attempt_at`) VALUES (NEW.`service_id`, NEW.`commit_sha`, '', iif(NEW.`state` = 'waiting', 'awaiting', iif(NEW.`state` = 'dropped', 'aborted', 'refused')), 0, 0, 0) ON CONFLICT (`service_id`, `commit_sha`) DO UPDATE SET `deployment_id` = excluded.`deployment_id`, `state` = excluded.`state`, `version` = `version` + 1, `attempts` = 0, `next_attempt_at` = 0; END;
