/**
 * What D1's own splitter does to a migration. `wrangler d1 migrations apply --remote` sends a file as one text, and D1 cuts it on the server.
 * How it cuts is not documented. This is the strictest reading of the reports: github.com/cloudflare/workers-sdk/issues/4998, 14991, 15178 and
 * github.com/botiverse/hands/pull/327 and 328 (a trigger on one line passes, one over several lines or with an inner `END` is cut too early; that
 * project publishes files with up to ten such lines).
 */

/** What is wrong with a migration for that splitter, as sentences; empty when nothing is. */
export function migrationFlaws(sql: string): string[] {
  const flaws: string[] = [];
  if (/--(?!> statement-breakpoint)[^\n]*;/.test(sql)) flaws.push('A comment contains no semicolon.');
  for (const line of sql.split('\n')) {
    if (!/\bCREATE\s+(TEMP\s+|TEMPORARY\s+)?TRIGGER\b/i.test(line)) continue;
    if (!/^CREATE TRIGGER [^;]* BEGIN .*; END;$/.test(line))
      flaws.push('A trigger is one line, CREATE TRIGGER … BEGIN …; END; in capitals, and nothing else.');
    if ((line.match(/\bEND\b/gi) ?? []).length > 1)
      flaws.push('A trigger has one END: move the condition of a CASE to its WHEN.');
  }
  return flaws;
}

/**
 * Changes that would break the Worker of the release before, as sentences. It runs on the new schema while a release is published, and after
 * `wrangler rollback`. Such a change is made in two releases: the first adds and uses the new (expand), the next removes the old (contract).
 */
export function contractions(sql: string): string[] {
  const plain = sql.replace(/--[^\n]*/g, '');
  const flaws: string[] = [];
  if (/\bDROP\s+TABLE\b/i.test(plain)) flaws.push('It drops a table.');
  if (/\bDROP\s+COLUMN\b/i.test(plain)) flaws.push('It drops a column.');
  if (/\bRENAME\b/i.test(plain)) flaws.push('It renames a table or a column.');
  for (const [, column = ''] of plain.matchAll(/\bADD\s+(?:COLUMN\s+)?(`?\w+`?[^;]*)/gi))
    if (/\bNOT\s+NULL\b/i.test(column) && !/\bDEFAULT\b/i.test(column))
      flaws.push(`A new column must be null or have a default: ${column.trim()}.`);
  return flaws;
}

/** The statements that D1 makes of a text: cut at each semicolon, but within a line with a trigger only at its first `END;`. */
export function splitAsD1(sql: string): string[] {
  const statements: string[] = [];
  let current = '';
  for (const line of sql.split('\n')) {
    const cut = /^\s*CREATE\s+TRIGGER\b/i.test(line) ? /(?<=\bEND;)/ : /(?<=;)/;
    for (const part of line.split(cut)) {
      current += part;
      if (!/;\s*$/.test(part)) continue;
      statements.push(current.trim());
      current = '';
    }
    current += '\n';
  }
  if (withoutComments(current) !== '') statements.push(current.trim());
  return statements.filter((statement) => withoutComments(statement) !== '');
}

function withoutComments(sql: string): string {
  return sql.replace(/--[^\n]*/g, '').trim();
}
