CREATE INDEX `jobs_data_finished` ON `jobs` (`service_id`,`finished_at`) WHERE kind <> 'deploy';
