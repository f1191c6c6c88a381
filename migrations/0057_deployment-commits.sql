ALTER TABLE `deployments` ADD `commit_message` text;--> statement-breakpoint
ALTER TABLE `deployments` ADD `commit_author` text;--> statement-breakpoint
ALTER TABLE `deployments` ADD `branch` text;
