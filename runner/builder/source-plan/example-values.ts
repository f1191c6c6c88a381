/**
 * Values of example files. People leave real secrets there, so a value leaves the host only if it can't be one: a switch, a small number or a
 * word of a fixed list, in a variable whose name does not speak of a secret.
 */
const assignment = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_.-]*)\s*=[ \t]*(.*)$/;
const nameOfSecret = /SECRET|TOKEN|PASS|PWD|KEY|PIN|CODE|AUTH|CREDENTIAL|SALT|HASH|SEED|PRIVATE|CERT|DSN|ID$/;
const plainValue =
  /^(?:true|false|yes|no|on|off|\d{1,5}|debug|info|warn|warning|error|trace|verbose|production|development|staging|test|local|auto|none|default|memory|file|log|json|text|smtp|utf-?8|utc|en|en[-_](?:us|gb)|https?:\/\/localhost(?::\d{1,5})?\/?|localhost|0\.0\.0\.0|127\.0\.0\.1)$/i;

/** All values by key, the first of each, for use on the host only. */
export function exampleValues(text: string): Map<string, string> {
  const values = new Map<string, string>();
  for (const line of text.split(/\r\n|\r|\n/)) {
    const [, key, rest = ''] = assignment.exec(line) ?? [];
    if (key === undefined || values.has(key)) continue;
    const quote = /^(["'`])(.*?)\1/.exec(rest);
    values.set(key, quote ? (quote[2] ?? '') : rest.replace(/(?:^|\s)#.*$/, '').trim());
  }
  return values;
}

/** @returns the value, or null for one that may be a secret */
export const shownExample = (key: string, value: string | undefined): string | null =>
  value !== undefined && plainValue.test(value) && !nameOfSecret.test(key.toUpperCase()) ? value : null;
