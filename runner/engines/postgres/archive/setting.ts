/** Settings as `pg_db_role_setting` stores them, `name=value`, and the SQL that sets them again. */
import pg from 'pg';

/**
 * Settings whose value is a list of identifiers, which is stored with quotes. As one literal, the whole list would become one name.
 * https://github.com/postgres/postgres/blob/REL_17_STABLE/src/bin/pg_dump/dumputils.c, "variable_is_guc_list_quote"
 */
const listSettings = new Set([
  ...['local_preload_libraries', 'search_path', 'session_preload_libraries', 'shared_preload_libraries'],
  ...['temp_tablespaces', 'unix_socket_directories'],
]);

/** @returns `SET "name" TO value`, to be appended to `ALTER DATABASE ...` or `ALTER ROLE ...` */
export function setClause(setting: string): string {
  const at = setting.indexOf('=');
  const name = setting.slice(0, at);
  const value = setting.slice(at + 1);
  const values = listSettings.has(name.toLowerCase()) ? namesOf(value) : [value];
  // The statement can't contain an empty list. A list with one empty name means the same.
  const list = values.length === 0 ? [''] : values;
  return `SET ${pg.escapeIdentifier(name)} TO ${list.map((each) => pg.escapeLiteral(each)).join(', ')}`;
}

/** @returns `RESET "name"` */
export const resetClause = (setting: string) =>
  `RESET ${pg.escapeIdentifier(setting.slice(0, setting.indexOf('=')))}`;

/** Splits a list of identifiers. Inside quotes, `""` is a quote. */
function namesOf(list: string): string[] {
  const names = list.match(/"(?:[^"]|"")*"|[^",\s][^,]*/g) ?? [];
  return names.map((name) =>
    name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name.trimEnd(),
  );
}
