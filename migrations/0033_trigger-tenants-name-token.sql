CREATE TRIGGER IF NOT EXISTS `tenants_name_token` AFTER INSERT ON `tenants` WHEN NEW.`name_token` = '' BEGIN UPDATE `tenants` SET `name_token` = lower(hex(randomblob(16))) WHERE `id` = NEW.`id`; END;
