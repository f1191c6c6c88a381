/** Sizes of memory as text, in the form that PostgreSQL reads: a whole number and `kB`, `MB` or `GB`, in steps of 1024. */

const units: Readonly<Record<string, number>> = { kB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 };

/** The size in bytes, for engines that accept only bytes. A text that is not a size is returned unchanged. */
export function inBytes(text: string): string {
  const [, number, unit = ''] = /^(\d+)(kB|MB|GB)$/.exec(text) ?? [];
  return number === undefined ? text : String(Number(number) * (units[unit] ?? 1));
}
