import { env } from 'cloudflare:workers';

/** Subquery for the numbers from 1 to `count`, as `n`. */
export const numbers = (count: number) =>
  `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${count}) select n from numbers`;

/**
 * Copies a row.
 * @param where a condition that matches one row of the table
 * @param changes expressions with the number `n` of the copy, by column
 */
export async function copyRows(
  table: string,
  where: string,
  count: number,
  changes: Record<string, string>,
): Promise<void> {
  const { results } = await env.DB.prepare(`select name from pragma_table_info('${table}')`).all<{
    name: string;
  }>();
  const columns = results.map(({ name }) => name);
  const values = columns.map((name) => changes[name] ?? `${table}."${name}"`);
  const names = columns.map((name) => `"${name}"`).join(', ');
  await env.DB.prepare(
    `insert into ${table} (${names}) select ${values.join(', ')} from ${table}, (${numbers(count)}) where ${where}`,
  ).run();
}
