/**
 * Refuses statements of `/query` that reach outside the server, or that make no sense as a single query.
 *
 * The check reads the output of the server's own parser (`formatQuerySingleLine`), not the text of the request: it has no comments, one way
 * of quoting, and one statement. In that output, every function, table function, engine and statement kind that can reach outside is a
 * plain word. Table functions and engines are on an allow list, so those of a later release are refused. The effects of reading an existing
 * view, dictionary or table are the responsibility of its creator.
 */
import { isLocalDatabaseEngine, isLocalEngine } from './local-engines.ts';

interface Word {
  text: string;
  kind: 'string' | 'name' | 'word' | 'mark';
}

/** Reads only the server's own output, in which a quote always begins one of these texts. */
const wordPattern = /'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`|"(?:\\.|[^"\\])*"|[\p{L}_][\p{L}\p{N}_]*|\S/gsu;

const runs =
  /^(?:SELECT|WITH|INSERT INTO|UPDATE|DELETE FROM|TRUNCATE|CREATE (?:OR REPLACE )?(?:TEMPORARY )?(?:DATABASE|TABLE|VIEW|MATERIALIZED VIEW|FUNCTION)|ALTER (?:TEMPORARY )?(?:TABLE|DATABASE)|DROP (?:TEMPORARY )?(?:DATABASE|TABLE|VIEW|DICTIONARY|FUNCTION|INDEX)|DETACH|ATTACH (?:TABLE|VIEW|MATERIALIZED VIEW|DATABASE|DICTIONARY)|UNDROP TABLE|RENAME|EXCHANGE|REPLACE (?:TABLE|VIEW)|OPTIMIZE TABLE|DESCRIBE|DESC|SHOW|EXPLAIN|EXISTS|CHECK|KILL (?:QUERY|MUTATION))\b/;
const reads = /^(?:SELECT|WITH|DESCRIBE|DESC|SHOW|EXPLAIN|EXISTS|CHECK)\b/;

/**
 * Table functions that return rows of this server. Those that take a table's structure as a string are missing (`format`, `values`, `null`,
 * `input`, `generateRandom`): it may contain DEFAULT expressions, which are dynamic SQL.
 */
const localTableFunctions = new Set([
  ...['dictionary', 'loop', 'merge', 'view', 'viewifpermitted'],
  ...['mergetreeindex', 'mergetreeprojection', 'mergetreeanalyzeindexes', 'mergetreetextindex'],
  ...['generateseries', 'generate_series', 'numbers', 'numbers_mt', 'primes', 'zeros', 'zeros_mt'],
]);
/** Functions that read files, call other servers or models, or show the headers of a request, and disks defined in a table's settings. */
const outsideFunction =
  /^(?:file|catboostEvaluate|modelEvaluate|hasColumnInTable|reverseDNSQuery|getClientHTTPHeader|addressTo\w+|ai\w+|disk)$/i;
/**
 * Settings that contain expressions in a string, allow expressions in VALUES, parse the statement as another language, or make the server
 * buffer an answer that is not read.
 */
const refusedSetting =
  /^(?:additional_\w+_filters?|input_format_values_\w*expressions?|dialect|polyglot_dialect|parallel_replicas_custom_key|schema_inference_hints|max_result_(?:rows|bytes)|result_overflow_mode)$/i;
const phrases: [RegExp, string][] = [
  [/ INTO OUTFILE | FROM INFILE /, 'INTO OUTFILE and FROM INFILE are for files of the server.'],
  [/ ON CLUSTER /, 'ON CLUSTER reaches other servers.'],
  [/ PARALLEL WITH /, 'A query is one statement: PARALLEL WITH joins several.'],
  [/^ATTACH .* FROM '' /, 'ATTACH ... FROM reads files of the server.'],
  [/^ALTER .* (?:FETCH|EXPORT) (?:PART|PARTITION) /, 'FETCH and EXPORT reach other servers or files.'],
];

/** Statements after which a database is no longer available under its name. */
const takesDatabaseAway = /^(?:DROP|DETACH|RENAME) DATABASE /;

/**
 * @param ownDatabase of the service; without it, no session can be opened
 * @returns the reason for refusing the statement; `undefined` if it is allowed
 */
export function refusal(
  canonical: string,
  tableFunctions: ReadonlySet<string>,
  ownDatabase: string,
): string | undefined {
  const words = wordsOf(canonical);
  const line = `${words.map(({ text, kind }) => (kind === 'string' ? "''" : kind === 'name' ? '``' : text)).join(' ')} `;
  if (!runs.test(line.replace(/^(?:\( )+/, ''))) {
    const head = words.slice(0, 2).map(({ text }) => text);
    return `${head.join(' ')} is not allowed here: it needs its own connection, or reaches outside the data. Connect with the CLICKHOUSE_URL.`;
  }
  if (takesDatabaseAway.test(line) && words.slice(2).some(({ text }) => text === ownDatabase))
    return `${JSON.stringify(ownDatabase)} is the service's own database (CLICKHOUSE_DB): it cannot be dropped, detached or renamed here. Drop its tables instead.`;
  return phrases.find(([pattern]) => pattern.test(line))?.[1] ?? outside(words, tableFunctions);
}

/** True for a statement that only reads: its rows may be cut. */
export const isRead = (canonical: string) => reads.test(canonical.replace(/^\(+/, ''));

/** True for an INSERT with VALUES, whose rows the parser's output leaves out. */
export const hasValues = (canonical: string) => /^INSERT INTO .* FORMAT Values$/s.test(canonical);

function outside(words: Word[], tableFunctions: ReadonlySet<string>): string | undefined {
  const isDatabase = words[1]?.text === 'DATABASE' || words[3]?.text === 'DATABASE';
  for (const [at, { text, kind }] of words.entries()) {
    if (kind === 'string' || kind === 'mark') continue;
    const next = words[at + 1];
    if (refusedSetting.test(text)) return `The setting ${text} is not allowed here.`;
    if (next?.text === '(' && reachesOutside(text, tableFunctions))
      return `${text} reaches outside the database, or contains expressions in a string, which can't be checked.`;
    if (kind !== 'word' || text !== 'ENGINE') continue;
    const engine = (next?.text === '=' ? words[at + 2] : next)?.text ?? '';
    if (!(isDatabase ? isLocalDatabaseEngine(engine) : isLocalEngine(engine)))
      return `The engine ${engine} reaches outside the database, or is not known here.`;
  }
  return undefined;
}

function reachesOutside(name: string, tableFunctions: ReadonlySet<string>): boolean {
  const lower = name.toLowerCase();
  return outsideFunction.test(name) || (tableFunctions.has(lower) && !localTableFunctions.has(lower));
}

function wordsOf(canonical: string): Word[] {
  return [...canonical.matchAll(wordPattern)].map(([text]) => {
    if (text.startsWith("'")) return { text, kind: 'string' };
    if (/^[`"]./s.test(text)) return { text: text.slice(1, -1).replace(/\\(.)/gs, '$1'), kind: 'name' };
    return { text, kind: /^[\p{L}_]/u.test(text) ? 'word' : 'mark' };
  });
}
