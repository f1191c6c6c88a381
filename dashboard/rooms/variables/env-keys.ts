/**
 * The names in the text of a .env file, in order, each once. Only a preview: what a value is, and what is wrong with a line, says the server
 * (worker/domain/variables/env-text.ts). Lines inside of quoted values are skipped.
 */
export function keysInEnvText(text: string): string[] {
  const keys = new Set<string>();
  let openQuote = '';
  for (const line of text.split(/\r?\n/)) {
    if (openQuote !== '') {
      if (line.includes(openQuote)) openQuote = '';
      continue;
    }
    const [, key, value = ''] = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)$/.exec(line) ?? [];
    if (key === undefined) continue;
    keys.add(key);
    const quote = /^["'`]/.exec(value)?.[0];
    if (quote && value.indexOf(quote, 1) < 0) openQuote = quote;
  }
  return [...keys];
}
