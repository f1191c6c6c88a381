-- A worker has no custom domains, whichever of the two changes comes second.
CREATE TRIGGER `services_worker_without_domains` BEFORE UPDATE OF `runtime_mode` ON `services`
WHEN NEW.`runtime_mode` = 'worker' AND EXISTS (SELECT 1 FROM `domains` WHERE `service_id` = NEW.`id`)
BEGIN
	SELECT RAISE(ABORT, 'CHECK constraint failed: services.runtime_mode');
END;--> statement-breakpoint
CREATE TRIGGER `domains_not_of_worker` BEFORE INSERT ON `domains`
WHEN EXISTS (SELECT 1 FROM `services` WHERE `id` = NEW.`service_id` AND `runtime_mode` = 'worker')
BEGIN
	SELECT RAISE(ABORT, 'CHECK constraint failed: services.runtime_mode');
END;
