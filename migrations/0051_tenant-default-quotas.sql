UPDATE `tenants` SET `quotas` = json_patch(json_object(
  'projects', max(100, 2 * (SELECT count(*) FROM `projects` WHERE `projects`.`tenant_id` = `tenants`.`id`)),
  'services', max(500, 2 * (SELECT count(*) FROM `services` JOIN `projects` ON `projects`.`id` = `services`.`project_id` WHERE `projects`.`tenant_id` = `tenants`.`id`)),
  'domains', max(500, 2 * (SELECT count(*) FROM `domains` JOIN `services` ON `services`.`id` = `domains`.`service_id` JOIN `projects` ON `projects`.`id` = `services`.`project_id` WHERE `projects`.`tenant_id` = `tenants`.`id`)),
  'keptDeletions', max(2000, 2 * (SELECT count(*) FROM `deletions` WHERE `deletions`.`tenant_id` = `tenants`.`id`)),
  'keptDeletionBytes', max(100000000, 2 * (SELECT coalesce(sum(`row_bytes`), 0) FROM `deletions` WHERE `deletions`.`tenant_id` = `tenants`.`id`))
), `quotas`) WHERE EXISTS (SELECT 1 FROM `tenants` AS `other` WHERE `other`.`id` <> 'default');
