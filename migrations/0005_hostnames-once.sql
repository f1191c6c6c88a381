-- A host name is in the instance once, as a custom domain or as a generated name: two tables, so no index can say it.
-- The words are those of an index, because that is what it stands for (worker/store/store-failure).
CREATE TRIGGER `domains_insert_hostname_once` BEFORE INSERT ON `domains`
WHEN EXISTS (SELECT 1 FROM `services` WHERE `generated_hostname` = NEW.`hostname`)
BEGIN
	SELECT RAISE(ABORT, 'UNIQUE constraint failed: services.generated_hostname');
END;--> statement-breakpoint
CREATE TRIGGER `domains_update_hostname_once` BEFORE UPDATE OF `hostname` ON `domains`
WHEN EXISTS (SELECT 1 FROM `services` WHERE `generated_hostname` = NEW.`hostname`)
BEGIN
	SELECT RAISE(ABORT, 'UNIQUE constraint failed: services.generated_hostname');
END;--> statement-breakpoint
CREATE TRIGGER `services_insert_hostname_once` BEFORE INSERT ON `services`
WHEN EXISTS (SELECT 1 FROM `domains` WHERE `hostname` = NEW.`generated_hostname`)
BEGIN
	SELECT RAISE(ABORT, 'UNIQUE constraint failed: domains.hostname');
END;--> statement-breakpoint
CREATE TRIGGER `services_update_hostname_once` BEFORE UPDATE OF `generated_hostname` ON `services`
WHEN EXISTS (SELECT 1 FROM `domains` WHERE `hostname` = NEW.`generated_hostname`)
BEGIN
	SELECT RAISE(ABORT, 'UNIQUE constraint failed: domains.hostname');
END;
