-- Until now a host without a tenant served all. It belongs to the default tenant now, and stays shared where services of others are on it.
UPDATE `runners` SET `shared` = true WHERE `tenant_id` IS NULL AND EXISTS (
	SELECT 1 FROM `services` JOIN `projects` ON `projects`.`id` = `services`.`project_id`
	WHERE (`services`.`runner_id` = `runners`.`id` OR `services`.`next_runner_id` = `runners`.`id`) AND `projects`.`tenant_id` <> 'default'
);
