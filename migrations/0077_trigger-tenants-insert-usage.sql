CREATE TRIGGER IF NOT EXISTS `tenants_insert_usage` AFTER INSERT ON `tenants` BEGIN INSERT OR IGNORE INTO `tenant_usage` (`tenant_id`) VALUES (NEW.`id`); END;
