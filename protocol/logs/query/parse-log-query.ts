/**
 * Reads the language of log searches from text:
 *
 *   payment "card refused" -health level:error,warn service:storefront status:>=500 OR panic
 *
 * A colon after a name makes a field; anything else is text. Errors name the position of the first wrong character, from 1, and the way out.
 */
import { type LogLevel, logLevels } from '../log-levels.ts';
import type { LogQuery, LogTerm } from './log-query.ts';
import { fieldTests, queryCharsMax, queryStreams, queryTermsMax } from './query-parts.ts';

export class InvalidLogQuery extends Error {
  /** The first wrong character, from 1. */
  readonly position: number;

  constructor(position: number, sentence: string) {
    super(sentence);
    this.name = 'InvalidLogQuery';
    this.position = position;
  }
}

interface Word {
  /** From 1. */
  position: number;
  not: boolean;
  /** The name before the colon; undefined: the word is text. */
  name: string | undefined;
  value: string;
  isQuoted: boolean;
  /** As it was typed, without the minus. */
  typed: string;
}

/** Names that are not fields of lines. */
const names = ['level', 'service', 'stream', 'deployment', 'replica'] as const;
const name = /^[A-Za-z_@][\w.@-]*$/;
const comparison = /^(<=|>=|<|>)(.*)$/s;

/** @returns undefined if the text has only spaces @throws InvalidLogQuery */
export function parseLogQuery(text: string): LogQuery | undefined {
  if (text.length > queryCharsMax)
    throw new InvalidLogQuery(
      queryCharsMax + 1,
      `A search has at most ${queryCharsMax} characters. Shorten it.`,
    );
  const words = wordsOf(text);
  if (words.length === 0) return undefined;
  const alternatives: LogTerm[][] = [[]];
  let count = 0;
  for (const [at, word] of words.entries()) {
    if (isOr(word)) {
      const isMissing = alternatives.at(-1)?.length === 0 || at === words.length - 1;
      if (isMissing)
        throw new InvalidLogQuery(
          word.position,
          'OR needs a word before and after it. To search for the word itself, write "OR" in quotes.',
        );
      alternatives.push([]);
    } else {
      count += 1;
      if (count > queryTermsMax)
        throw new InvalidLogQuery(
          word.position,
          `A search has at most ${queryTermsMax} words. Leave some out.`,
        );
      alternatives.at(-1)?.push(termOf(word));
    }
  }
  return alternatives;
}

const isOr = ({ typed, isQuoted, not }: Word) => typed === 'OR' && !isQuoted && !not;

function wordsOf(text: string): Word[] {
  const words: Word[] = [];
  for (let at = 0; at < text.length; ) {
    if (/\s/.test(text[at] ?? '')) at += 1;
    else {
      const { word, end } = wordAt(text, at);
      words.push(word);
      at = end;
    }
  }
  return words;
}

function wordAt(text: string, start: number): { word: Word; end: number } {
  const not = text[start] === '-' && /\S/.test(text[start + 1] ?? '');
  const begin = not ? start + 1 : start;
  const position = start + 1;
  if (text[begin] === '"') {
    const { value, end } = quotedAt(text, begin);
    return { word: { position, not, name: undefined, value, isQuoted: true, typed: value }, end };
  }
  let at = begin;
  while (at < text.length && !/\s/.test(text[at] ?? '')) {
    const before = text.slice(begin, at);
    // Quotes have a meaning only at the beginning of a value: in any other place they are text.
    if (text[at] === '"' && before.endsWith(':') && name.test(before.slice(0, -1))) {
      const { value, end } = quotedAt(text, at);
      const typed = text.slice(begin, end);
      return { word: { position, not, name: before.slice(0, -1), value, isQuoted: true, typed }, end };
    }
    at += 1;
  }
  const typed = text.slice(begin, at);
  const colon = typed.indexOf(':');
  const named = colon > 0 && name.test(typed.slice(0, colon)) ? typed.slice(0, colon) : undefined;
  const value = named === undefined ? typed : typed.slice(colon + 1);
  return { word: { position, not, name: named, value, isQuoted: false, typed }, end: at };
}

/** Text between quotes, in which a backslash keeps the next quote or backslash. */
function quotedAt(text: string, start: number): { value: string; end: number } {
  let value = '';
  for (let at = start + 1; at < text.length; at += 1) {
    const char = text[at] ?? '';
    if (char === '"') {
      if (value === '')
        throw new InvalidLogQuery(start + 1, 'There is nothing between the quotes. Leave them out.');
      return { value, end: at + 1 };
    }
    const next = text[at + 1] ?? '';
    if (char === '\\' && (next === '"' || next === '\\')) at += 1;
    value += text[at];
  }
  throw new InvalidLogQuery(
    start + 1,
    'The quote is not closed. Add " at its end, or write \\" inside quotes to search for a quote.',
  );
}

function termOf(word: Word): LogTerm {
  const { not, position } = word;
  switch (names.find((one) => one === word.name)) {
    case 'level':
      return { kind: 'level', not, levels: levelsOf(word) };
    case 'stream':
      return { kind: 'stream', not, streams: listOf(word).map((one) => oneOf(queryStreams, one, word)) };
    case 'service':
      return { kind: 'service', not, services: listOf(word) };
    case 'deployment':
      return { kind: 'deployment', not, deployments: listOf(word) };
    case 'replica':
      return { kind: 'replica', not, replicas: listOf(word).map((one) => wholeNumber(one, position)) };
    default:
      return word.name === undefined || isOnlyText(word)
        ? { kind: 'text', not, text: word.typed }
        : fieldOf(word);
  }
}

/** «Error:» is the end of a name in prose, and «https://example.com» an address. */
const isOnlyText = ({ value, isQuoted }: Word) => !isQuoted && (value === '' || value.startsWith('//'));

function fieldOf({ name: path = '', not, value, isQuoted, typed, position }: Word): LogTerm {
  const plain = { kind: 'field', not, path, value } as const;
  if (isQuoted) return { ...plain, test: 'is' };
  const [, sign, number = ''] = comparison.exec(value) ?? [];
  if (sign !== undefined) {
    if (number === '' || Number.isNaN(Number(number)))
      throw new InvalidLogQuery(
        position,
        `"${typed.slice(0, 60)}" needs a number after ${sign}, such as status:>=500. To search for the text, put it in quotes.`,
      );
    return { ...plain, test: oneOfTests(sign), value: number };
  }
  if (value.length > 1 && value.endsWith('*')) return { ...plain, test: 'prefix', value: value.slice(0, -1) };
  return { ...plain, test: 'is', typed };
}

const oneOfTests = (sign: string) => fieldTests.find((test) => test === sign) ?? 'is';

function listOf({ name: of = '', value, position }: Word): string[] {
  const list = value.split(',').map((one) => one.trim());
  if (list.every((one) => one !== '')) return list;
  throw new InvalidLogQuery(
    position,
    `${of}: needs a value after the colon, or several with commas between them.`,
  );
}

/** `level:error,warn`, `level:>=warn` or `level:none`. */
function levelsOf(word: Word): (LogLevel | 'none')[] {
  const least = word.value.startsWith('>=') ? word.value.slice(2) : undefined;
  if (least !== undefined) return logLevels.slice(logLevels.indexOf(levelOf(least, word, logLevels)));
  return listOf(word).map((one) => levelOf(one, word, [...logLevels, 'none']));
}

/** «warning» and «err» are words of other tools. */
const otherNames: Readonly<Record<string, LogLevel>> = { warning: 'warn', err: 'error', critical: 'fatal' };
const levelOf = <Level extends string>(one: string, word: Word, all: readonly Level[]): Level =>
  oneOf(all, otherNames[one.toLowerCase()] ?? one, word);

function oneOf<Value extends string>(
  all: readonly Value[],
  one: string,
  { name: of = '', position }: Word,
): Value {
  const found = all.find((value) => value === one.toLowerCase());
  if (found !== undefined) return found;
  throw new InvalidLogQuery(
    position,
    `"${of}:${one.slice(0, 60)}" is not known. Use ${all.slice(0, -1).join(', ')} or ${all.at(-1)}.`,
  );
}

function wholeNumber(text: string, position: number): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new InvalidLogQuery(position, `"replica:${text.slice(0, 60)}" is not a number. Write replica:2.`);
}
