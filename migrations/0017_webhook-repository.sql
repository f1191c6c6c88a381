ALTER TABLE `git_webhooks` ADD `repo_url` text;--> statement-breakpoint
UPDATE `git_webhooks` SET `repo_url` = (SELECT `repo_url` FROM `services` WHERE `services`.`id` = `git_webhooks`.`service_id`);
