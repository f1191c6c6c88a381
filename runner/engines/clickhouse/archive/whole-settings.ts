/**
 * Settings under which the server returns all its data, unchanged. A profile or a user may have other values: `ALTER USER app SETTINGS
 * limit = 100`. https://clickhouse.com/docs/operations/settings/settings
 */
import type { Json } from '../../row.ts';

/**
 * Known to every version since 21.3. They are always sent, because a query can't find out whether they are set: the server hides `limit`
 * and `offset` from the query that they cut. https://clickhouse.com/docs/operations/settings/query-complexity
 */
const unlimited: Readonly<Record<string, string>> = {
  limit: '0',
  offset: '0',
  max_rows_to_read: '0',
  max_bytes_to_read: '0',
  max_result_rows: '0',
  max_result_bytes: '0',
  read_overflow_mode: 'throw',
  result_overflow_mode: 'throw',
  timeout_overflow_mode: 'throw',
};

/** A server refuses settings that its version does not know. */
const versioned: Readonly<Record<string, string>> = {
  final: '0',
  additional_table_filters: '{}',
  additional_result_filter: '',
  apply_deleted_mask: '1',
  use_query_cache: '0',
  max_rows_to_read_leaf: '0',
  max_bytes_to_read_leaf: '0',
  read_overflow_mode_leaf: 'throw',
  timeout_overflow_mode_leaf: 'throw',
  force_primary_key: '0',
  force_index_by_date: '0',
  low_cardinality_allow_in_native_format: '1',
  output_format_native_encode_types_in_binary_format: '0',
  output_format_native_write_json_as_string: '0',
  // Shows passwords in statements, if the server is configured to allow that.
  format_display_secrets_in_show_and_select: '1',
};

type Ask = (text: string, more: { settings: Record<string, string> }) => Promise<Json[][]>;

/**
 * Returns only settings that the server knows and that currently have another value, so that a user who may not change settings can still
 * read everything.
 * @throws EngineError when a constraint forbids to change a limit
 */
export async function wholeSettings(ask: Ask): Promise<Record<string, string>> {
  const names = Object.keys(versioned).map((name) => `'${name}'`);
  const [[found] = []] = await ask(
    `SELECT groupArray((name, value)) FROM system.settings WHERE name IN (${names.join(', ')})`,
    { settings: unlimited },
  );
  const present = new Map((found ?? []) as [string, string][]);
  const changed = Object.entries(versioned).filter(
    ([name, value]) => present.has(name) && present.get(name) !== value,
  );
  return { ...unlimited, ...Object.fromEntries(changed) };
}
