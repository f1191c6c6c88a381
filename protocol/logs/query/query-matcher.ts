/** Applies a parsed search to lines. The work for a line grows with its length and the number of terms, whatever the search is. */
import { jsonOf } from '../lines/json-line.ts';
import { levelOf } from '../lines/line-level.ts';
import type { LogLevel } from '../log-levels.ts';
import type { LogQuery, LogTerm } from './log-query.ts';

export interface QueriedLine {
  line: string;
  stream: string;
  serviceId?: string | undefined;
  deploymentId?: string | null | undefined;
  replica?: number | undefined;
  /** Facts of the whole line, if its text is cut. */
  facts?: Readonly<Record<string, unknown>> | undefined;
}

/** @returns a function that says whether a line matches */
export function queryMatcher(query: LogQuery): (line: QueriedLine) => boolean {
  const alternatives = query.map((terms) => [...terms].sort(cheapFirst).map(testOf));
  return (line) => {
    const read = new ReadLine(line);
    return alternatives.some((tests) => tests.every((test) => test(read)));
  };
}

const cost: Record<LogTerm['kind'], number> = {
  service: 0,
  stream: 0,
  deployment: 0,
  replica: 0,
  text: 1,
  level: 2,
  field: 2,
};
const cheapFirst = (one: LogTerm, other: LogTerm) => cost[one.kind] - cost[other.kind];

/** Reads each part of a line at most once, and only if a term needs it. */
class ReadLine {
  readonly of: QueriedLine;
  #lower: string | undefined;
  #json: Readonly<Record<string, unknown>> | null | undefined;
  #level: LogLevel | null | undefined;

  constructor(of: QueriedLine) {
    this.of = of;
  }

  get lower(): string {
    this.#lower ??= this.of.line.toLowerCase();
    return this.#lower;
  }

  get json(): Readonly<Record<string, unknown>> | undefined {
    if (this.#json === undefined) this.#json = this.of.facts ?? jsonOf(this.of.line) ?? null;
    return this.#json ?? undefined;
  }

  get level(): LogLevel | null {
    if (this.#level === undefined)
      this.#level = this.of.stream === 'system' ? null : levelOf(this.of.line, this.json);
    return this.#level;
  }
}

function testOf(term: LogTerm): (line: ReadLine) => boolean {
  const test = matchOf(term);
  return term.not ? (line) => !test(line) : test;
}

function matchOf(term: LogTerm): (line: ReadLine) => boolean {
  switch (term.kind) {
    case 'text': {
      const wanted = term.text.toLowerCase();
      return (line) => line.lower.includes(wanted);
    }
    case 'level': {
      const levels: ReadonlySet<string> = new Set(term.levels);
      return (line) => levels.has(line.level ?? 'none');
    }
    case 'stream':
      return ({ of }) => term.streams.some((stream) => stream === of.stream);
    case 'service':
      return ({ of }) => of.serviceId !== undefined && term.services.includes(of.serviceId);
    case 'deployment':
      return ({ of }) => typeof of.deploymentId === 'string' && term.deployments.includes(of.deploymentId);
    case 'replica':
      return ({ of }) => term.replicas.includes(of.replica ?? 1);
    case 'field':
      return fieldMatch(term);
  }
}

function fieldMatch({ path, test, value, typed }: Extract<LogTerm, { kind: 'field' }>) {
  const compare = comparisonOf(test, value);
  const logfmt = `${path.toLowerCase()}=`;
  const text = typed?.toLowerCase();
  return (line: ReadLine): boolean => {
    const found = line.json ? valueAt(line.json, path) : logfmtValue(line, logfmt);
    if (found !== undefined && compare(found)) return true;
    return text !== undefined && line.lower.includes(text);
  };
}

function comparisonOf(
  test: Extract<LogTerm, { kind: 'field' }>['test'],
  value: string,
): (found: string) => boolean {
  const number = Number(value);
  const numeric = (compare: (found: number) => boolean) => (found: string) =>
    found.trim() !== '' && compare(Number(found));
  switch (test) {
    case 'is': {
      const wanted = value.toLowerCase();
      return (found) => found.toLowerCase() === wanted;
    }
    case 'prefix': {
      const wanted = value.toLowerCase();
      return (found) => found.toLowerCase().startsWith(wanted);
    }
    case '<':
      return numeric((found) => found < number);
    case '<=':
      return numeric((found) => found <= number);
    case '>':
      return numeric((found) => found > number);
    case '>=':
      return numeric((found) => found >= number);
  }
}

/**
 * @param path a name with dots, or names of nested objects with dots between them
 * @returns undefined if there is no such field, or if it is an object
 */
export function valueAt(json: Readonly<Record<string, unknown>>, path: string): string | undefined {
  if (Object.hasOwn(json, path)) return scalar(json[path]);
  let found: unknown = json;
  for (const part of path.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, part)) return undefined;
    found = (found as Record<string, unknown>)[part];
  }
  return scalar(found);
}

const scalar = (found: unknown): string | undefined =>
  typeof found === 'object' && found !== null ? undefined : String(found);

/** The first value of `name=` that begins a word. */
function logfmtValue({ of: { line }, lower }: ReadLine, name: string): string | undefined {
  for (let at = lower.indexOf(name); at >= 0; at = lower.indexOf(name, at + 1)) {
    if (at > 0 && !/\s/.test(line[at - 1] ?? '')) continue;
    const rest = line.slice(at + name.length, at + name.length + 1_000);
    const [, quoted] = /^"((?:[^"\\]|\\.)*)"/.exec(rest) ?? [];
    return quoted ?? /^\S*/.exec(rest)?.[0];
  }
  return undefined;
}
