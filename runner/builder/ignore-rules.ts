/**
 * The rules of a `.dockerignore`, with Docker's semantics (docs.docker.com, "Build context"; moby's `patternmatcher`). A rule is matched in
 * one pass over the path, without backtracking. Regular expressions backtrack, so a rule such as `a*a*a*a*b` would block the runner for
 * minutes.
 */
import { posix } from 'node:path';
import { JobFailure } from '../base/job-failure.ts';

/** Far larger than any real file of rules. Each path is compared with each rule. */
const textBytesMax = 128 * 1024;
const rulesMax = 1_000;

type Token =
  | { type: 'character'; text: string }
  /** `?`, `[a-z]`: one character, but no slash. */
  | { type: 'one'; accepts: (character: string) => boolean }
  /** `*` */
  | { type: 'many' }
  /** Two stars before more tokens: no directory, or (`inside`) any number of whole directories. */
  | { type: 'directories' }
  | { type: 'inside' }
  /** Two stars at the end. */
  | { type: 'rest' };

interface Rule {
  tokens: Token[];
  /** The text with which every match begins. */
  prefix: string;
  /** True if the rule begins with `!`, and so includes again paths that earlier rules exclude. */
  isException: boolean;
}

export interface IgnoreFile {
  /** The file's name for messages. */
  name: string;
  text: string;
}

export const noRules: IgnoreFile = { name: '.dockerignore', text: '' };

/** Call it before reading the file. @throws JobFailure `build_failed` */
export function refuseLargeRules(name: string, bytes: number): void {
  if (bytes > textBytesMax) throw refused(name, `it is larger than ${textBytesMax / 1024} KB`);
}

/**
 * @returns a function that returns true if a path, relative to the context, is excluded
 * @throws JobFailure `build_failed` for a pattern that Docker would not accept either
 */
export function ignoreRules({ name, text }: IgnoreFile): (path: string) => boolean {
  const rules = text
    .replace(/^\ufeff/, '')
    .split('\n')
    .flatMap((line) => ruleOf(line, name));
  if (rules.length > rulesMax)
    throw refused(name, `it has more than ${rulesMax.toLocaleString('en-GB')} rules`);
  return (path) => rules.findLast((rule) => matches(rule, path))?.isException === false;
}

function ruleOf(line: string, name: string): Rule[] {
  const text = line.trim();
  if (line.startsWith('#') || text === '') return [];
  const isException = text.startsWith('!');
  const written = (isException ? text.slice(1) : text).trim();
  if (written === '') throw refused(name, `"${text}" names no file`);
  const pattern = posix
    .normalize(written)
    .replace(/(?<=.)\/$/, '')
    .replace(/^\/(?=.)/, '');
  const tokens = tokensOf(pattern, name);
  return [{ tokens, prefix: plainStart(tokens), isException }];
}

function tokensOf(text: string, name: string): Token[] {
  const pattern = [...text];
  const tokens: Token[] = [];
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern[at] ?? '';
    if (character === '*' && pattern[at + 1] === '*') {
      at += pattern[at + 2] === '/' ? 2 : 1;
      if (at + 1 >= pattern.length) tokens.push({ type: 'rest' });
      else tokens.push({ type: 'directories' }, { type: 'inside' });
    } else if (character === '*') tokens.push({ type: 'many' });
    else if (character === '?') tokens.push({ type: 'one', accepts: () => true });
    else if (character === '[') {
      const end = endOfClass(pattern, at);
      if (end < 0) throw refused(name, `the "[" in "${text}" has no end`);
      tokens.push({ type: 'one', accepts: classOf(pattern.slice(at + 1, end).join('')) });
      at = end;
    } else {
      if (character === '\\') at += 1;
      tokens.push({ type: 'character', text: pattern[at] ?? '\\' });
    }
  }
  return tokens;
}

function plainStart(tokens: readonly Token[]): string {
  const end = tokens.findIndex(({ type }) => type !== 'character');
  return tokens
    .slice(0, end < 0 ? tokens.length : end)
    .map((token) => (token.type === 'character' ? token.text : ''))
    .join('');
}

/** The index of the closing `]`. A first `]`, and one after a backslash, belong to the class. */
function endOfClass(pattern: readonly string[], start: number): number {
  const first = start + (pattern[start + 1] === '^' ? 2 : 1);
  for (let at = first; at < pattern.length; at += 1) {
    if (pattern[at] === '\\') at += 1;
    else if (pattern[at] === ']' && at > first) return at;
  }
  return -1;
}

/** `a-z0-9`, `^a-z`. */
function classOf(text: string): (character: string) => boolean {
  const isNegated = text.startsWith('^');
  const characters = [...(isNegated ? text.slice(1) : text).matchAll(/\\(.)|([^\\])/gsu)].map(
    ([whole, escaped]) => ({ text: escaped ?? whole, isDash: whole === '-' }),
  );
  const ranges: [from: string, to: string][] = [];
  for (let at = 0; at < characters.length; at += 1) {
    const from = characters[at]?.text ?? '';
    const to = characters[at + 1]?.isDash ? characters[at + 2]?.text : undefined;
    ranges.push([from, to ?? from]);
    if (to !== undefined) at += 2;
  }
  return (character) => ranges.some(([from, to]) => from <= character && character <= to) !== isNegated;
}

/** True if the pattern matches the path or a directory that contains it. */
function matches({ tokens, prefix }: Rule, path: string): boolean {
  if (!path.startsWith(prefix)) return false;
  const end = tokens.length;
  let places: number[] = [];
  arrive(tokens, 0, places);
  for (const character of path) {
    if (character === '/' && places.includes(end)) return true;
    const next: number[] = [];
    for (const place of places) advance(tokens, place, character, next);
    if (next.length === 0) return false;
    places = next;
  }
  return places.includes(end);
}

/** Adds the places in the pattern that are reached after one more character. */
function advance(tokens: readonly Token[], place: number, character: string, next: number[]): void {
  const token = tokens[place];
  const isSlash = character === '/';
  const stays = token?.type === 'inside' || token?.type === 'rest' || (token?.type === 'many' && !isSlash);
  const passes =
    (token?.type === 'character' && token.text === character) ||
    (token?.type === 'one' && !isSlash && token.accepts(character)) ||
    (token?.type === 'inside' && isSlash);
  if (stays) arrive(tokens, place, next);
  if (passes) arrive(tokens, place + 1, next);
}

/** Adds a place, and the places after tokens that may match nothing. */
function arrive(tokens: readonly Token[], place: number, places: number[]): void {
  if (places.includes(place)) return;
  places.push(place);
  const type = tokens[place]?.type;
  if (type === 'many' || type === 'rest' || type === 'directories') arrive(tokens, place + 1, places);
  if (type === 'directories') arrive(tokens, place + 2, places);
}

const refused = (name: string, reason: string) =>
  new JobFailure('build_failed', `${name}: ${reason}; correct it, and deploy again.`);
