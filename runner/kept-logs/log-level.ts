/** The level of a line: in a field of JSON or logfmt, or as a word at its beginning. */
import type { LogLevel } from '../../protocol/logs/kept-logs.ts';
import { jsonTextOf } from './json-line.ts';

const words: Readonly<Record<string, LogLevel>> = {
  trace: 'trace',
  verbose: 'trace',
  silly: 'trace',
  debug: 'debug',
  dbg: 'debug',
  info: 'info',
  information: 'info',
  notice: 'info',
  log: 'info',
  warn: 'warn',
  warning: 'warn',
  wrn: 'warn',
  error: 'error',
  err: 'error',
  severe: 'error',
  fatal: 'fatal',
  critical: 'fatal',
  crit: 'fatal',
  alert: 'fatal',
  emerg: 'fatal',
  emergency: 'fatal',
  panic: 'fatal',
};
/** Numbers of pino and bunyan (https://getpino.io/#/docs/api?id=loggerlevels-object). */
const numbers: readonly [number, LogLevel][] = [
  [60, 'fatal'],
  [50, 'error'],
  [40, 'warn'],
  [30, 'info'],
  [20, 'debug'],
  [10, 'trace'],
];
export const levelFields: readonly string[] = ['level', 'severity', 'lvl', 'levelname', 'log.level', '@l'];

/** A level is near the beginning, after a time, a name or a colour. */
const headChars = 120;
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
const colour = /\u001b\[[0-9;:]*m/g;
const logfmt = /(?:^|\s)(?:level|lvl|severity)="?([a-z]+)/i;
/** A whole line of logfmt, whose level may be its last field. */
const logfmtLine = /^[\w.@-]+=/;
const logfmtField = /([\w.@-]+)=("(?:[^"\\]|\\.)*"|\S*)/g;
/** The level's field in incomplete JSON, whose line is longer than the part that is read. */
const jsonField = /"(?:level|severity|lvl|levelname|log\.level|@l)"\s*:\s*(?:"([a-z]+)"|(\d{2}))/i;
/** A level in brackets, or a word between spaces, bars and colons. */
const marked = /\[([a-z]{3,11})\]|<([a-z]{3,11})>|(?:^|[\s|:])([a-z]{3,11})(?=[\s:|\]]|$)/gi;

/** @param json the line as a JSON object, if possible */
export function levelOf(text: string, json: Readonly<Record<string, unknown>> | undefined): LogLevel | null {
  if (json) return levelOfJson(json);
  const broken = jsonTextOf(text);
  if (broken !== undefined) return levelInJsonText(broken);
  const head = text.slice(0, headChars).replace(colour, '');
  const named = logfmt.exec(head)?.[1];
  if (named) return words[named.toLowerCase()] ?? null;
  if (logfmtLine.test(head)) return levelOfLogfmt(text);
  for (const { 0: whole, 1: square, 2: angle, 3: bare = '', index } of head.matchAll(marked)) {
    const level = words[(square ?? angle ?? bare).toLowerCase()];
    // A word of prose is no level: a level without brackets is in capitals, or a colon follows.
    const isProse = bare !== bare.toUpperCase() && head[index + whole.length] !== ':';
    if (level && !isProse) return level;
  }
  return null;
}

/** The level in a line of JSON without its end. */
function levelInJsonText(text: string): LogLevel | null {
  const [, word, number] = jsonField.exec(text) ?? [];
  return word === undefined && number === undefined ? null : levelOfJson({ level: word ?? Number(number) });
}

function levelOfLogfmt(text: string): LogLevel | null {
  for (const [, name = '', value = ''] of text.matchAll(logfmtField)) {
    if (levelFields.includes(name.toLowerCase()))
      return words[value.replaceAll('"', '').toLowerCase()] ?? null;
  }
  return null;
}

function levelOfJson(json: Readonly<Record<string, unknown>>): LogLevel | null {
  for (const field of levelFields) {
    const value = Object.hasOwn(json, field) ? json[field] : undefined;
    if (typeof value === 'string') return words[value.toLowerCase()] ?? null;
    if (typeof value === 'number') return numbers.find(([least]) => value >= least)?.[1] ?? null;
  }
  return null;
}
