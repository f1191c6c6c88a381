/**
 * Every column that holds ciphertext, so that values sealed with an old key can be found and sealed again. A test compares the list with
 * the schema and with the places of security/secret-places.
 */
import { type SQL, sql } from 'drizzle-orm';
import { bucketSecretName } from '../../domain/backups/backup-bucket.ts';
import { eventWebhookSecretName } from '../../domain/instance/event-webhook.ts';

/** A sealed cell. */
export interface SealedRow {
  /** Place of the secret, with its name in security/secret-places. The stored row of a deleted resource keeps its former place. */
  table: string;
  column: string;
  rowId: string;
  sealed: string;
  /** The project whose data key sealed it; `null` for ENCRYPTION_KEY. */
  projectId: string | null;
  /** Position of its column in the list. */
  entry: number;
}

export interface SealedColumn {
  /** Place of its secrets. */
  table: string;
  column: string;
  /** SQL of the place's row id, of the ciphertext, and of the project whose data key sealed it (if absent, ENCRYPTION_KEY). */
  id: string;
  text: string;
  project?: string;
  /** SQL condition for rows with a secret. */
  where?: string;
  /** The cell to write: table, column, and SQL of the cell with the ciphertext `resealed`. If absent: the place with the ciphertext itself. */
  cell?: { table: string; column: string; value: string };
}

const ofService = '(select services.project_id from services where services.id = service_id)';
const ofDeletion =
  '(select deletions.project_id from deletions where deletions.resource_id = deleted_rows.resource_id)';

const sealedByEncryptionKey: readonly SealedColumn[] = [
  ...withKept('projects', 'wrapped_data_key', 'id'),
  { table: 'dns_providers', column: 'sealed_credentials', id: 'id', text: 'sealed_credentials' },
  { table: 'identity_providers', column: 'sealed_client_secret', id: 'id', text: 'sealed_client_secret' },
  { table: 'backup_keys', column: 'sealed_identity', id: 'id', text: 'sealed_identity' },
  { table: 'registries', column: 'sealed_password', id: 'id', text: 'sealed_password' },
  { table: 'notification_channels', column: 'sealed_config', id: 'id', text: 'sealed_config' },
  { table: 'log_drains', column: 'sealed_target', id: 'id', text: 'sealed_target' },
  ...withKept('git_credentials', 'sealed_token', 'id'),
  ...withKept('own_certificates', 'sealed_certificate', 'domain_id'),
  {
    table: 'github_apps',
    column: 'sealed_secrets',
    id: 'id',
    text: 'sealed_secrets',
    where: 'sealed_secrets is not null',
  },
  { table: 'ai_providers', column: 'sealed_credentials', id: 'id', text: 'sealed_credentials' },
  {
    table: 'settings',
    column: 'value',
    id: 'name',
    text: "value ->> '$'",
    where: `name in ('${eventWebhookSecretName}', '${bucketSecretName}') and value <> 'null'`,
    cell: { table: 'settings', column: 'value', value: 'json_quote(resealed)' },
  },
  {
    table: 'idempotency_keys',
    column: 'response',
    id: "key_id || ' ' || idempotency_key",
    text: 'response',
    where: 'response is not null',
  },
];

const sealedByDataKeys: readonly SealedColumn[] = [
  ...withKept('variables', 'sealed_value', 'id', ofService),
  ...withKept('deployments', 'sealed_snapshot', 'id', ofService),
  ...withKept('services', 'sealed_git_token', 'id', 'project_id'),
  ...withKept('git_webhooks', 'sealed_secret', 'service_id', ofService),
  ...withKept('service_files', 'sealed_files', 'service_id', ofService),
  ...withKept('imports', 'sealed_source', 'id', ofService),
];

export const sealedColumns: readonly SealedColumn[] = [...sealedByEncryptionKey, ...sealedByDataKeys];

/** The column, and the same column in stored rows of deleted resources (store/row-archive). */
function withKept(table: string, column: string, id: string, project?: string): SealedColumn[] {
  const [live, kept] = project === undefined ? [{}, {}] : [{ project }, { project: ofDeletion }];
  const text = `row ->> '${column}'`;
  return [
    { table, column, id, text: column, where: `${column} is not null`, ...live },
    {
      table,
      column,
      id: `row ->> '${id}'`,
      text,
      where: `source = '${table}' and ${text} is not null`,
      cell: { table: 'deleted_rows', column: 'row', value: `json_set(row, '$.${column}', resealed)` },
      ...kept,
    },
  ];
}

/** Maximum number of parts that D1 allows in a `union all`. */
const unionMax = 5;

/** All sealed rows of the instance, as a query in parentheses whose columns are those of `SealedRow`. */
export const sealedRows: SQL = unionOf(
  sealedColumns.map(({ table, column, id, text, project = 'null', where = 'true', cell }, entry) =>
    sql.raw(`select '${table}' as "table", '${column}' as "column", ${id} as "rowId", ${text} as sealed,
      ${project} as "projectId", ${entry} as entry from ${cell?.table ?? table} where ${where}`),
  ),
);

function unionOf(selects: readonly SQL[]): SQL {
  if (selects.length <= unionMax) return sql`(${sql.join([...selects], sql` union all `)})`;
  const groups = Array.from({ length: unionMax }, (_, group) =>
    selects.filter((_select, index) => index % unionMax === group),
  );
  return unionOf(groups.map((group) => sql`select * from ${unionOf(group)}`));
}
