/** Checks whether a date or time fits its type: the server moves one that is out of range into the range, and cuts extra precision. */

import type { Json } from '../row.ts';
import { parsedType } from './column-type.ts';

const datePattern = /^(\d{4})-(\d\d)-(\d\d)$/;
const momentPattern = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?(?:\.(\d+))?)?(Z|[+-]\d\d:?\d\d)?$/;
const timePattern = /^-?\d{1,3}:[0-5]\d:[0-5]\d(?:\.(\d+))?$/;

/** https://clickhouse.com/docs/sql-reference/data-types/date, and the pages of the other types */
const ranges: Record<string, [string, string]> = {
  Date: ['1970-01-01', '2149-06-06'],
  Date32: ['1900-01-01', '2299-12-31'],
  DateTime: ['1970-01-01T00:00:00Z', '2106-02-07T06:28:15Z'],
  DateTime64: ['1900-01-01T00:00:00Z', '2299-12-31T23:59:59.999Z'],
};
const nanoRange: [string, string] = ['1900-01-01T00:00:00Z', '2262-04-11T23:47:16Z'];

/** @returns the reason why it doesn't fit, as the end of a sentence; `undefined` if it fits */
export function misfitOfMoment(type: string, value: Json): string | undefined {
  const { name, parameters } = parsedType(type);
  const decimals = name.endsWith('64') ? Number(parameters[0]) : 0;
  if (name.startsWith('Time')) return misfitOfTime(type, value, decimals);
  const isDay = name === 'Date' || name === 'Date32';
  const parts = typeof value === 'string' ? momentPattern.exec(value) : null;
  const [, day = '', minute = '00:00', second = ':00', fraction = '', zone = 'Z'] = parts ?? [];
  if (!parts || !isDate(day) || (isDay && value !== day))
    return `is no ${type}: give ${isDay ? 'it as 2026-01-31' : 'it as 2026-01-31T12:34:56Z'}`;
  if (isFiner(fraction, decimals)) return `is finer than ${type}`;
  const at = Date.parse(isDay ? day : `${day}T${minute}${second}${zone.replace(/^(...)(\d\d)$/, '$1:$2')}`);
  if (Number.isNaN(at)) return `is no ${type}: give it as 2026-01-31T12:34:56Z`;
  const range = decimals === 9 ? nanoRange : ranges[name];
  const [least, most] = range ?? ['', ''];
  const isOutside = at < Date.parse(least) || at > Date.parse(most);
  return isOutside ? `is out of the range of ${type}, ${least} to ${most}` : undefined;
}

function misfitOfTime(type: string, value: Json, decimals: number): string | undefined {
  const parts = typeof value === 'string' ? timePattern.exec(value) : null;
  if (!parts) return `is no ${type}: give it as 12:34:56`;
  return isFiner(parts[1] ?? '', decimals) ? `is finer than ${type}` : undefined;
}

const isFiner = (fraction: string, decimals: number) => fraction.replace(/0+$/, '').length > decimals;

/** False for 2026-02-30, for example. */
function isDate(day: string): boolean {
  if (!datePattern.test(day)) return false;
  const at = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(day);
}
