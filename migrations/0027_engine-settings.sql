ALTER TABLE `services` ADD `engine_settings` text;--> statement-breakpoint
ALTER TABLE `services` ADD `default_image_ref` text;--> statement-breakpoint
-- Databases that exist keep the image that was the default until now, and so do deleted ones that can still be restored.
UPDATE `services` SET `default_image_ref` = CASE `repo_full_name`
	WHEN 'database:postgres' THEN 'postgres:17'
	WHEN 'database:timescale' THEN 'timescale/timescaledb:latest-pg17'
	WHEN 'database:mysql' THEN 'mysql:9'
	WHEN 'database:redis' THEN 'redis:8'
	WHEN 'database:mongodb' THEN 'mongo:7'
	WHEN 'database:clickhouse' THEN 'clickhouse/clickhouse-server:26.7' END
WHERE `kind` = 'database' AND `image_ref` IS NULL;--> statement-breakpoint
UPDATE `deleted_rows` SET `row` = json_set(`row`, '$.default_image_ref', CASE `row` ->> '$.repo_full_name'
	WHEN 'database:postgres' THEN 'postgres:17'
	WHEN 'database:timescale' THEN 'timescale/timescaledb:latest-pg17'
	WHEN 'database:mysql' THEN 'mysql:9'
	WHEN 'database:redis' THEN 'redis:8'
	WHEN 'database:mongodb' THEN 'mongo:7'
	WHEN 'database:clickhouse' THEN 'clickhouse/clickhouse-server:26.7' END)
WHERE `source` = 'services' AND `row` ->> '$.kind' = 'database' AND `row` ->> '$.image_ref' IS NULL;
