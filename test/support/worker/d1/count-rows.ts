/** Counts the rows of all tenants into `tenant_usage`, which is otherwise maintained by the triggers of migrations/0012_usage.sql. */
export const countRows = `
INSERT OR REPLACE INTO tenant_usage (tenant_id, projects, services, domains, volumes, memory_mb, disk_mb, backup_bytes, kept_deletions, kept_deletion_bytes)
SELECT tenants.id,
  (SELECT count(*) FROM projects WHERE projects.tenant_id = tenants.id),
  (SELECT count(*) FROM services JOIN projects ON projects.id = services.project_id WHERE projects.tenant_id = tenants.id),
  (SELECT count(*) FROM domains JOIN services ON services.id = domains.service_id JOIN projects ON projects.id = services.project_id WHERE projects.tenant_id = tenants.id),
  (SELECT count(*) FROM volumes JOIN services ON services.id = volumes.service_id JOIN projects ON projects.id = services.project_id WHERE projects.tenant_id = tenants.id),
  (SELECT IFNULL(sum(IFNULL(services.memory_limit_mb, 512)), 0) FROM services JOIN projects ON projects.id = services.project_id WHERE projects.tenant_id = tenants.id),
  (SELECT IFNULL(sum(services.disk_mb), 0) FROM services JOIN projects ON projects.id = services.project_id WHERE projects.tenant_id = tenants.id) + (SELECT IFNULL(sum(IIF(deleted_rows.source = 'services' AND deleted_rows.row ->> 'kind' = 'database', IFNULL(deleted_rows.row ->> 'disk_mb', 0), IIF(deleted_rows.source = 'volumes', IFNULL(deleted_rows.row ->> 'used_mb', 0), 0))), 0) FROM deletions JOIN deleted_rows ON deleted_rows.resource_id = deletions.resource_id WHERE deletions.tenant_id = tenants.id),
  (SELECT IFNULL(sum(backups.size_bytes), 0) FROM backups JOIN services ON services.id = backups.service_id JOIN projects ON projects.id = services.project_id WHERE projects.tenant_id = tenants.id) + (SELECT IFNULL(sum(IIF(deleted_rows.source = 'backups', IFNULL(deleted_rows.row ->> 'size_bytes', 0), 0)), 0) FROM deletions JOIN deleted_rows ON deleted_rows.resource_id = deletions.resource_id WHERE deletions.tenant_id = tenants.id),
  (SELECT count(*) FROM deletions WHERE deletions.tenant_id = tenants.id),
  (SELECT IFNULL(sum(row_bytes), 0) FROM deletions WHERE deletions.tenant_id = tenants.id)
FROM tenants`;
