/** Writes a name as a statement of the engine requires it. */

/** Words that need quotes as a name. Only the most common ones; quoting more does no harm. */
const reserved = new Set(
  `all analyze and any as asc both case cast check collate column constraint create cross current_date current_time current_timestamp
  default desc distinct else end except false fetch for foreign from full grant group groups having in index inner intersect into is join key keys leading left like limit
  natural not null offset on or order outer primary range rank references returning right row rows select some system table then to trailing true union unique
  update user using values when where window with`.split(/\s+/),
);

/** @returns the name, in quotes only if it would mean something else without them */
export function quotedName(engine: string, name: string): string {
  if (engine === 'mysql' || engine === 'clickhouse') {
    if (/^[a-z_][a-z0-9_]*$/i.test(name) && !reserved.has(name.toLowerCase())) return name;
    const escaped = engine === 'mysql' ? name : name.replaceAll('\\', '\\\\');
    return `\`${escaped.replaceAll('`', engine === 'mysql' ? '``' : '\\`')}\``;
  }
  if (engine === 'redis') return name;
  // PostgreSQL reads capitals without quotes as small letters.
  if (/^[a-z_][a-z0-9_$]*$/.test(name) && !reserved.has(name)) return name;
  return `"${name.replaceAll('"', '""')}"`;
}
