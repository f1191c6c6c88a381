CREATE TABLE `domains` (
	`id` text PRIMARY KEY NOT NULL,
	`service_id` text NOT NULL,
	`hostname` text NOT NULL,
	`is_proven` integer DEFAULT true NOT NULL,
	`proof_checked_at` integer,
	`status` text NOT NULL,
	`dns_detail` text,
	`checked_at` integer,
	`certificate` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`service_id`) REFERENCES `services`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `domains_service` ON `domains` (`service_id`);
--> statement-breakpoint
CREATE INDEX `domains_hostname` ON `domains` (`hostname`);
--> statement-breakpoint
CREATE UNIQUE INDEX `domains_proven` ON `domains` (`hostname`) WHERE is_proven;
--> statement-breakpoint
CREATE INDEX `domains_unproven` ON `domains` (`proof_checked_at`) WHERE not is_proven;
--> statement-breakpoint
CREATE TABLE `held_names` (
	`hostname` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`held_until` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `own_certificates` (
	`domain_id` text PRIMARY KEY NOT NULL,
	`service_id` text NOT NULL,
	`hostname` text NOT NULL,
	`facts` text NOT NULL,
	`sealed_certificate` text NOT NULL,
	`boxes` text NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`domain_id`) REFERENCES `domains`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`service_id`) REFERENCES `services`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `own_certificates_service` ON `own_certificates` (`service_id`);
--> statement-breakpoint
CREATE TABLE `dns_providers` (
	`id` text PRIMARY KEY NOT NULL,
	`sealed_credentials` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `address_records` (
	`provider_id` text NOT NULL,
	`hostname` text NOT NULL,
	`type` text NOT NULL,
	`address` text NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`provider_id`, `hostname`, `type`),
	FOREIGN KEY (`provider_id`) REFERENCES `dns_providers`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `challenge_records` (
	`provider_id` text NOT NULL,
	`hostname` text NOT NULL,
	`value` text NOT NULL,
	`runner_id` text NOT NULL,
	`is_wanted` integer NOT NULL,
	`created_at` integer NOT NULL,
	`removal_tried_at` integer,
	PRIMARY KEY(`provider_id`, `hostname`, `value`),
	FOREIGN KEY (`provider_id`) REFERENCES `dns_providers`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `proof_records` (
	`provider_id` text NOT NULL,
	`tenant_id` text NOT NULL,
	`hostname` text NOT NULL,
	`value` text NOT NULL,
	`removal_tried_at` integer,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`provider_id`, `tenant_id`, `hostname`),
	FOREIGN KEY (`provider_id`) REFERENCES `dns_providers`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TRIGGER `domains_insert_hostname_once` BEFORE INSERT ON `domains` WHEN EXISTS (SELECT 1 FROM `services` WHERE `generated_hostname` = NEW.`hostname`) BEGIN SELECT RAISE(ABORT, 'UNIQUE constraint failed: services.generated_hostname'); END;
--> statement-breakpoint
CREATE TRIGGER `services_worker_without_domains` BEFORE UPDATE OF `runtime_mode` ON `services` WHEN NEW.`runtime_mode` = 'worker' AND EXISTS (SELECT 1 FROM `domains` WHERE `service_id` = NEW.`id`) BEGIN SELECT RAISE(ABORT, 'CHECK constraint failed: services.runtime_mode'); END;
--> statement-breakpoint
CREATE TRIGGER `domains_update_hostname_once` BEFORE UPDATE OF `hostname` ON `domains` WHEN EXISTS (SELECT 1 FROM `services` WHERE `generated_hostname` = NEW.`hostname`) BEGIN SELECT RAISE(ABORT, 'UNIQUE constraint failed: services.generated_hostname'); END;
--> statement-breakpoint
CREATE TRIGGER `services_insert_hostname_once` BEFORE INSERT ON `services` WHEN EXISTS (SELECT 1 FROM `domains` WHERE `hostname` = NEW.`generated_hostname`) BEGIN SELECT RAISE(ABORT, 'UNIQUE constraint failed: domains.hostname'); END;
--> statement-breakpoint
CREATE TRIGGER `services_update_hostname_once` BEFORE UPDATE OF `generated_hostname` ON `services` WHEN EXISTS (SELECT 1 FROM `domains` WHERE `hostname` = NEW.`generated_hostname`) BEGIN SELECT RAISE(ABORT, 'UNIQUE constraint failed: domains.hostname'); END;
--> statement-breakpoint
CREATE TRIGGER `domains_not_of_worker` BEFORE INSERT ON `domains` WHEN EXISTS (SELECT 1 FROM `services` WHERE `id` = NEW.`service_id` AND `runtime_mode` = 'worker') BEGIN SELECT RAISE(ABORT, 'CHECK constraint failed: services.runtime_mode'); END;
--> statement-breakpoint
CREATE TRIGGER `domains_insert_once_in_tenant` BEFORE INSERT ON `domains` WHEN EXISTS (SELECT 1 FROM `domains` AS `other` JOIN `services` AS `theirs` ON `theirs`.`id` = `other`.`service_id` JOIN `projects` AS `their_project` ON `their_project`.`id` = `theirs`.`project_id` JOIN `services` AS `ours` ON `ours`.`id` = NEW.`service_id` JOIN `projects` AS `our_project` ON `our_project`.`id` = `ours`.`project_id` WHERE `other`.`hostname` = NEW.`hostname` AND `their_project`.`tenant_id` = `our_project`.`tenant_id`) BEGIN SELECT RAISE(ABORT, 'UNIQUE constraint failed: domains.hostname'); END;
--> statement-breakpoint
CREATE TRIGGER `domains_update_once_in_tenant` BEFORE UPDATE OF `hostname` ON `domains` WHEN EXISTS (SELECT 1 FROM `domains` AS `other` JOIN `services` AS `theirs` ON `theirs`.`id` = `other`.`service_id` JOIN `projects` AS `their_project` ON `their_project`.`id` = `theirs`.`project_id` JOIN `services` AS `ours` ON `ours`.`id` = NEW.`service_id` JOIN `projects` AS `our_project` ON `our_project`.`id` = `ours`.`project_id` WHERE `other`.`hostname` = NEW.`hostname` AND `other`.`id` <> NEW.`id` AND `their_project`.`tenant_id` = `our_project`.`tenant_id`) BEGIN SELECT RAISE(ABORT, 'UNIQUE constraint failed: domains.hostname'); END;
--> statement-breakpoint
CREATE TRIGGER `domains_delete_hold` BEFORE DELETE ON `domains` WHEN OLD.`is_proven` BEGIN INSERT OR REPLACE INTO `held_names` (`hostname`, `tenant_id`, `held_until`) SELECT OLD.`hostname`, `projects`.`tenant_id`, (unixepoch() + 30 * 86400) * 1000 FROM `services` JOIN `projects` ON `projects`.`id` = `services`.`project_id` WHERE `services`.`id` = OLD.`service_id`; END;
--> statement-breakpoint
CREATE TRIGGER `domains_rename_hold` BEFORE UPDATE OF `hostname` ON `domains` WHEN OLD.`is_proven` AND OLD.`hostname` <> NEW.`hostname` BEGIN INSERT OR REPLACE INTO `held_names` (`hostname`, `tenant_id`, `held_until`) SELECT OLD.`hostname`, `projects`.`tenant_id`, (unixepoch() + 30 * 86400) * 1000 FROM `services` JOIN `projects` ON `projects`.`id` = `services`.`project_id` WHERE `services`.`id` = OLD.`service_id`; END;
--> statement-breakpoint
CREATE TRIGGER `services_delete_hold` BEFORE DELETE ON `services` BEGIN INSERT OR REPLACE INTO `held_names` (`hostname`, `tenant_id`, `held_until`) SELECT OLD.`generated_hostname`, `tenant_id`, (unixepoch() + 30 * 86400) * 1000 FROM `projects` WHERE `id` = OLD.`project_id` AND OLD.`generated_hostname` IS NOT NULL; INSERT OR REPLACE INTO `held_names` (`hostname`, `tenant_id`, `held_until`) SELECT `domains`.`hostname`, `projects`.`tenant_id`, (unixepoch() + 30 * 86400) * 1000 FROM `domains` JOIN `projects` ON `projects`.`id` = OLD.`project_id` WHERE `domains`.`service_id` = OLD.`id` AND `domains`.`is_proven`; END;
--> statement-breakpoint
CREATE TRIGGER `services_rename_hold` BEFORE UPDATE OF `generated_hostname` ON `services` WHEN OLD.`generated_hostname` IS NOT NEW.`generated_hostname` BEGIN INSERT OR REPLACE INTO `held_names` (`hostname`, `tenant_id`, `held_until`) SELECT OLD.`generated_hostname`, `tenant_id`, (unixepoch() + 30 * 86400) * 1000 FROM `projects` WHERE `id` = OLD.`project_id` AND OLD.`generated_hostname` IS NOT NULL; END;
--> statement-breakpoint
CREATE TRIGGER `projects_delete_hold` BEFORE DELETE ON `projects` BEGIN INSERT OR REPLACE INTO `held_names` (`hostname`, `tenant_id`, `held_until`) SELECT `generated_hostname`, OLD.`tenant_id`, (unixepoch() + 30 * 86400) * 1000 FROM `services` WHERE `project_id` = OLD.`id` AND `generated_hostname` IS NOT NULL; INSERT OR REPLACE INTO `held_names` (`hostname`, `tenant_id`, `held_until`) SELECT `domains`.`hostname`, OLD.`tenant_id`, (unixepoch() + 30 * 86400) * 1000 FROM `domains` JOIN `services` ON `services`.`id` = `domains`.`service_id` WHERE `services`.`project_id` = OLD.`id` AND `domains`.`is_proven`; END;
--> statement-breakpoint
CREATE TRIGGER `domains_insert_not_held` BEFORE INSERT ON `domains` WHEN NEW.`is_proven` AND EXISTS (SELECT 1 FROM `held_names` JOIN `tenants` ON `tenants`.`id` = `held_names`.`tenant_id` WHERE `hostname` = NEW.`hostname` AND `held_until` > unixepoch() * 1000 AND `tenant_id` <> (SELECT `projects`.`tenant_id` FROM `services` JOIN `projects` ON `projects`.`id` = `services`.`project_id` WHERE `services`.`id` = NEW.`service_id`)) BEGIN SELECT RAISE(ABORT, 'UNIQUE constraint failed: held_names.hostname'); END;
--> statement-breakpoint
CREATE TRIGGER `domains_update_not_held` BEFORE UPDATE OF `hostname`, `is_proven` ON `domains` WHEN NEW.`is_proven` AND EXISTS (SELECT 1 FROM `held_names` JOIN `tenants` ON `tenants`.`id` = `held_names`.`tenant_id` WHERE `hostname` = NEW.`hostname` AND `held_until` > unixepoch() * 1000 AND `tenant_id` <> (SELECT `projects`.`tenant_id` FROM `services` JOIN `projects` ON `projects`.`id` = `services`.`project_id` WHERE `services`.`id` = NEW.`service_id`)) BEGIN SELECT RAISE(ABORT, 'UNIQUE constraint failed: held_names.hostname'); END;
--> statement-breakpoint
CREATE TRIGGER `services_insert_not_held` BEFORE INSERT ON `services` WHEN EXISTS (SELECT 1 FROM `held_names` JOIN `tenants` ON `tenants`.`id` = `held_names`.`tenant_id` WHERE `hostname` = NEW.`generated_hostname` AND `held_until` > unixepoch() * 1000 AND `tenant_id` <> (SELECT `projects`.`tenant_id` FROM `projects` WHERE `projects`.`id` = NEW.`project_id`)) BEGIN SELECT RAISE(ABORT, 'UNIQUE constraint failed: held_names.hostname'); END;
--> statement-breakpoint
CREATE TRIGGER `services_update_not_held` BEFORE UPDATE OF `generated_hostname` ON `services` WHEN NEW.`generated_hostname` IS NOT NULL AND EXISTS (SELECT 1 FROM `held_names` JOIN `tenants` ON `tenants`.`id` = `held_names`.`tenant_id` WHERE `hostname` = NEW.`generated_hostname` AND `held_until` > unixepoch() * 1000 AND `tenant_id` <> (SELECT `projects`.`tenant_id` FROM `projects` WHERE `projects`.`id` = NEW.`project_id`)) BEGIN SELECT RAISE(ABORT, 'UNIQUE constraint failed: held_names.hostname'); END;
