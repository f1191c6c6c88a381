CREATE TRIGGER IF NOT EXISTS `projects_insert_usage` AFTER INSERT ON `projects` BEGIN UPDATE `tenant_usage` SET `projects` = `projects` + 1 WHERE `tenant_id` = NEW.`tenant_id`; END;
