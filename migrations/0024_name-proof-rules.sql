-- What TXT records contain: one random text per tenant, for those that exist and for those to come.
UPDATE `tenants` SET `name_token` = lower(hex(randomblob(16)));--> statement-breakpoint
UPDATE `tenants` SET `quotas` = json_set(`quotas`, '$.domains', 500) WHERE `id` <> 'default';--> statement-breakpoint
CREATE TRIGGER `tenants_name_token` AFTER INSERT ON `tenants` WHEN NEW.`name_token` = ''
BEGIN
	UPDATE `tenants` SET `name_token` = lower(hex(randomblob(16))) WHERE `id` = NEW.`id`;
END;--> statement-breakpoint
-- A name is in a tenant once. The words are those of an index, because that is what it stands for (worker/store/store-failure).
CREATE TRIGGER `domains_insert_once_in_tenant` BEFORE INSERT ON `domains`
WHEN EXISTS (SELECT 1 FROM `domains` AS `other`
	JOIN `services` AS `theirs` ON `theirs`.`id` = `other`.`service_id` JOIN `projects` AS `their_project` ON `their_project`.`id` = `theirs`.`project_id`
	JOIN `services` AS `ours` ON `ours`.`id` = NEW.`service_id` JOIN `projects` AS `our_project` ON `our_project`.`id` = `ours`.`project_id`
	WHERE `other`.`hostname` = NEW.`hostname` AND `their_project`.`tenant_id` = `our_project`.`tenant_id`)
BEGIN
	SELECT RAISE(ABORT, 'UNIQUE constraint failed: domains.hostname');
END;--> statement-breakpoint
CREATE TRIGGER `domains_update_once_in_tenant` BEFORE UPDATE OF `hostname` ON `domains`
WHEN EXISTS (SELECT 1 FROM `domains` AS `other`
	JOIN `services` AS `theirs` ON `theirs`.`id` = `other`.`service_id` JOIN `projects` AS `their_project` ON `their_project`.`id` = `theirs`.`project_id`
	JOIN `services` AS `ours` ON `ours`.`id` = NEW.`service_id` JOIN `projects` AS `our_project` ON `our_project`.`id` = `ours`.`project_id`
	WHERE `other`.`hostname` = NEW.`hostname` AND `other`.`id` <> NEW.`id` AND `their_project`.`tenant_id` = `our_project`.`tenant_id`)
BEGIN
	SELECT RAISE(ABORT, 'UNIQUE constraint failed: domains.hostname');
END;--> statement-breakpoint
-- A name that a tenant gives up is held for 30 days. A cascade deletes the parent first, so each level has a trigger of its own.
CREATE TRIGGER `domains_delete_hold` BEFORE DELETE ON `domains` WHEN OLD.`is_proven`
BEGIN
	INSERT OR REPLACE INTO `held_names` (`hostname`, `tenant_id`, `held_until`)
	SELECT OLD.`hostname`, `projects`.`tenant_id`, (unixepoch() + 30 * 86400) * 1000 FROM `services` JOIN `projects` ON `projects`.`id` = `services`.`project_id` WHERE `services`.`id` = OLD.`service_id`;
END;--> statement-breakpoint
CREATE TRIGGER `domains_rename_hold` BEFORE UPDATE OF `hostname` ON `domains` WHEN OLD.`is_proven` AND OLD.`hostname` <> NEW.`hostname`
BEGIN
	INSERT OR REPLACE INTO `held_names` (`hostname`, `tenant_id`, `held_until`)
	SELECT OLD.`hostname`, `projects`.`tenant_id`, (unixepoch() + 30 * 86400) * 1000 FROM `services` JOIN `projects` ON `projects`.`id` = `services`.`project_id` WHERE `services`.`id` = OLD.`service_id`;
END;--> statement-breakpoint
CREATE TRIGGER `services_delete_hold` BEFORE DELETE ON `services`
BEGIN
	INSERT OR REPLACE INTO `held_names` (`hostname`, `tenant_id`, `held_until`)
	SELECT OLD.`generated_hostname`, `tenant_id`, (unixepoch() + 30 * 86400) * 1000 FROM `projects` WHERE `id` = OLD.`project_id` AND OLD.`generated_hostname` IS NOT NULL;
	INSERT OR REPLACE INTO `held_names` (`hostname`, `tenant_id`, `held_until`)
	SELECT `domains`.`hostname`, `projects`.`tenant_id`, (unixepoch() + 30 * 86400) * 1000 FROM `domains` JOIN `projects` ON `projects`.`id` = OLD.`project_id` WHERE `domains`.`service_id` = OLD.`id` AND `domains`.`is_proven`;
END;--> statement-breakpoint
CREATE TRIGGER `services_rename_hold` BEFORE UPDATE OF `generated_hostname` ON `services` WHEN OLD.`generated_hostname` IS NOT NEW.`generated_hostname`
BEGIN
	INSERT OR REPLACE INTO `held_names` (`hostname`, `tenant_id`, `held_until`)
	SELECT OLD.`generated_hostname`, `tenant_id`, (unixepoch() + 30 * 86400) * 1000 FROM `projects` WHERE `id` = OLD.`project_id` AND OLD.`generated_hostname` IS NOT NULL;
END;--> statement-breakpoint
CREATE TRIGGER `projects_delete_hold` BEFORE DELETE ON `projects`
BEGIN
	INSERT OR REPLACE INTO `held_names` (`hostname`, `tenant_id`, `held_until`)
	SELECT `generated_hostname`, OLD.`tenant_id`, (unixepoch() + 30 * 86400) * 1000 FROM `services` WHERE `project_id` = OLD.`id` AND `generated_hostname` IS NOT NULL;
	INSERT OR REPLACE INTO `held_names` (`hostname`, `tenant_id`, `held_until`)
	SELECT `domains`.`hostname`, OLD.`tenant_id`, (unixepoch() + 30 * 86400) * 1000 FROM `domains` JOIN `services` ON `services`.`id` = `domains`.`service_id` WHERE `services`.`project_id` = OLD.`id` AND `domains`.`is_proven`;
END;--> statement-breakpoint
-- A held name is refused to other tenants, until the hold ends or its tenant is deleted.
CREATE TRIGGER `domains_insert_not_held` BEFORE INSERT ON `domains`
WHEN NEW.`is_proven` AND EXISTS (SELECT 1 FROM `held_names` JOIN `tenants` ON `tenants`.`id` = `held_names`.`tenant_id`
	WHERE `hostname` = NEW.`hostname` AND `held_until` > unixepoch() * 1000 AND `tenant_id` <> (SELECT `projects`.`tenant_id` FROM `services` JOIN `projects` ON `projects`.`id` = `services`.`project_id` WHERE `services`.`id` = NEW.`service_id`))
BEGIN
	SELECT RAISE(ABORT, 'UNIQUE constraint failed: held_names.hostname');
END;--> statement-breakpoint
CREATE TRIGGER `domains_update_not_held` BEFORE UPDATE OF `hostname`, `is_proven` ON `domains`
WHEN NEW.`is_proven` AND EXISTS (SELECT 1 FROM `held_names` JOIN `tenants` ON `tenants`.`id` = `held_names`.`tenant_id`
	WHERE `hostname` = NEW.`hostname` AND `held_until` > unixepoch() * 1000 AND `tenant_id` <> (SELECT `projects`.`tenant_id` FROM `services` JOIN `projects` ON `projects`.`id` = `services`.`project_id` WHERE `services`.`id` = NEW.`service_id`))
BEGIN
	SELECT RAISE(ABORT, 'UNIQUE constraint failed: held_names.hostname');
END;--> statement-breakpoint
CREATE TRIGGER `services_insert_not_held` BEFORE INSERT ON `services`
WHEN EXISTS (SELECT 1 FROM `held_names` JOIN `tenants` ON `tenants`.`id` = `held_names`.`tenant_id`
	WHERE `hostname` = NEW.`generated_hostname` AND `held_until` > unixepoch() * 1000 AND `tenant_id` <> (SELECT `projects`.`tenant_id` FROM `projects` WHERE `projects`.`id` = NEW.`project_id`))
BEGIN
	SELECT RAISE(ABORT, 'UNIQUE constraint failed: held_names.hostname');
END;--> statement-breakpoint
CREATE TRIGGER `services_update_not_held` BEFORE UPDATE OF `generated_hostname` ON `services`
WHEN NEW.`generated_hostname` IS NOT NULL AND EXISTS (SELECT 1 FROM `held_names` JOIN `tenants` ON `tenants`.`id` = `held_names`.`tenant_id`
	WHERE `hostname` = NEW.`generated_hostname` AND `held_until` > unixepoch() * 1000 AND `tenant_id` <> (SELECT `projects`.`tenant_id` FROM `projects` WHERE `projects`.`id` = NEW.`project_id`))
BEGIN
	SELECT RAISE(ABORT, 'UNIQUE constraint failed: held_names.hostname');
END;
