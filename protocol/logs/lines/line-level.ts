/**
 * The level that a log line shows: in a field of JSON or logfmt, as a mark of klog, or as a word at a usual position. Hosts, drains, searches and
 * the dashboard use this one rule.
 */
import type { LogLevel } from '../log-levels.ts';
import { jsonTextOf } from './json-line.ts';

const words: Readonly<Record<string, LogLevel>> = {
  trace: 'trace',
  trce: 'trace',
  verbose: 'trace',
  silly: 'trace',
  debug: 'debug',
  dbug: 'debug',
  dbg: 'debug',
  info: 'info',
  information: 'info',
  notice: 'info',
  log: 'info',
  warn: 'warn',
  warning: 'warn',
  wrn: 'warn',
  deprecated: 'warn',
  error: 'error',
  err: 'error',
  fail: 'error',
  failed: 'error',
  failure: 'error',
  exception: 'error',
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
/** First letters of klog (https://github.com/kubernetes/klog) and of MongoDB's field `s`. */
const letters: Readonly<Record<string, LogLevel>> = {
  F: 'fatal',
  E: 'error',
  W: 'warn',
  I: 'info',
  D: 'debug',
};
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
const klog = /^([IWEF])\d{4} \d\d:\d\d:\d\d/;
/** Most lines of programs without levels contain none of these, and are not examined further. */
const hint =
  /trace|trce|verb|silly|de?bu?g|info|notice|log|warn|wrn|err|seve|fatal|fail|crit|alert|emerg|panic|exce|deprec|uncaught/i;
/** The first line of a crash. */
const crash =
  /^(?:Traceback \(most recent call|Exception in thread |Unhandled exception|(?:PHP )?(?:Fatal|Parse) error:|Uncaught |thread '.{0,80}' (?:\(\d+\) )?panicked at )/;
/** A word between spaces, brackets and punctuation. */
const word = /(?<=^|[\s|:[(<])[A-Za-z_.]{3,40}(?=$|[\s|:\])>!([])/g;
/** Text before the level: the step of BuildKit, a time of a tool, the name of a package manager. */
const begin = /^\s*(?:#\d+ )?(?:[\d.:,TZ+-]+ )?(?:npm |yarn |pnpm |[✘✖×❌⚠▲►-]+ ?)?\s*$/u;
/** «0 errors, 2 warnings» does not report an error. */
const none =
  /\b(?:0|no) (?:errors?|failures?|failed|warnings?)\b|\b(?:errors?|failures?|failed|warnings?)[:=] ?0\b/i;
/** A word before prose at the beginning of a line is a level only if it is one of these: «Alert users» and «Log in» are not. */
const begins: ReadonlySet<LogLevel> = new Set(['warn', 'error', 'fatal']);
const notAtBegin = new Set(['alert', 'emergency', 'fail', 'exception']);

/** @param json the line as a JSON object, if possible */
export function levelOf(text: string, json: Readonly<Record<string, unknown>> | undefined): LogLevel | null {
  if (json) return levelOfJson(json);
  const broken = jsonTextOf(text);
  if (broken !== undefined) return levelInJsonText(broken);
  const head = text
    .slice(0, 2 * headChars)
    .replace(colour, '')
    .slice(0, headChars);
  const [, letter = ''] = klog.exec(head) ?? [];
  if (letter) return letters[letter] ?? null;
  const named = logfmt.exec(head)?.[1];
  if (named) return words[named.toLowerCase()] ?? null;
  if (logfmtLine.test(head)) return levelOfLogfmt(text);
  if (!hint.test(head)) return null;
  return crash.test(head) ? 'error' : levelOfWords(head);
}

function levelOfWords(head: string): LogLevel | null {
  const isNone = none.test(head);
  for (const { 0: found, index } of head.matchAll(word)) {
    const name = found.toLowerCase();
    const level = levelOfWord(name);
    if (level === undefined || (isNone && level !== 'info')) continue;
    const before = head.slice(0, index);
    const next = head[index + found.length] ?? '';
    // A word inside prose is no level: capitals, brackets, a colon, or a place of its own mark one.
    const isMarked = found === found.toUpperCase() || ':])>![('.includes(next || ' ');
    const isPlaced = begin.test(before) ? !notAtBegin.has(name) : before.endsWith(': ');
    if (isMarked || (begins.has(level) && isPlaced)) return level;
  }
  return null;
}

/** `TypeError`, `java.lang.IllegalStateException` and `DeprecationWarning` are named by their ends. */
function levelOfWord(name: string): LogLevel | undefined {
  if (Object.hasOwn(words, name)) return words[name];
  if (/.(?:error|exception)$/.test(name)) return 'error';
  return /.warning$/.test(name) ? 'warn' : undefined;
}

/** The level in a line of JSON without its end. */
function levelInJsonText(text: string): LogLevel | null {
  const [, name, number] = jsonField.exec(text) ?? [];
  return name === undefined && number === undefined ? null : levelOfJson({ level: name ?? Number(number) });
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
  const { s: severity, c: component } = json;
  const isOfMongo = typeof severity === 'string' && typeof component === 'string' && 'attr' in json;
  return isOfMongo ? (letters[severity.slice(0, 1)] ?? null) : null;
}
