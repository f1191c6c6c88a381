/**
 * Statements that `/query` does not run: those that reach outside the server, or that a question by itself has no use for.
 *
 * What is judged is not the text that was asked but what the server's own parser made of it (`formatQuerySingleLine`): without comments,
 * with one way of quoting, and one statement. In that, every function, table function, engine and kind of statement that can reach
 * outside is a plain word. Table functions and engines are allowed by name, so one that comes with a later release is refused.
 * What an existing view, dictionary or table does when it is read is its maker's business.
 */
import { isLocalDatabaseEngine, isLocalEngine } from './local-engines.ts';

interface Word {
  text: string;
  kind: 'string' | 'name' | 'word' | 'mark';
}

/** Of the server's own writing. Nothing else begins with a quote there. */
const wordPattern = /'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`|"(?:\\.|[^"\\])*"|[\p{L}_][\p{L}\p{N}_]*|\S/gsu;

const runs =
  /^(?:SELECT|WITH|INSERT INTO|UPDATE|DELETE FROM|TRUNCATE|CREATE (?:OR REPLACE )?(?:TEMPORARY )?(?:DATABASE|TABLE|VIEW|MATERIALIZED VIEW|FUNCTION)|ALTER (?:TEMPORARY )?(?:TABLE|DATABASE)|DROP (?:TEMPORARY )?(?:DATABASE|TABLE|VIEW|DICTIONARY|FUNCTION|INDEX)|DETACH|ATTACH (?:TABLE|VIEW|MATERIALIZED VIEW|DATABASE|DICTIONARY)|UNDROP TABLE|RENAME|EXCHANGE|REPLACE (?:TABLE|VIEW)|OPTIMIZE TABLE|DESCRIBE|DESC|SHOW|EXPLAIN|EXISTS|CHECK|KILL (?:QUERY|MUTATION))\b/;
const reads = /^(?:SELECT|WITH|DESCRIBE|DESC|SHOW|EXPLAIN|EXISTS|CHECK)\b/;

/**
 * Table functions that give rows of this server. Those that take a table's structure as a text are not among them (`format`, `values`,
 * `null`, `input`, `generateRandom`): it may hold DEFAULT expressions, put together while the statement runs.
 */
const localTableFunctions = new Set([
  ...['dictionary', 'loop', 'merge', 'view', 'viewifpermitted'],
  ...['mergetreeindex', 'mergetreeprojection', 'mergetreeanalyzeindexes', 'mergetreetextindex'],
  ...['generateseries', 'generate_series', 'numbers', 'numbers_mt', 'primes', 'zeros', 'zeros_mt'],
]);
/** Functions that read files, ask other servers or models, or show the headers of a request; and disks that a table brings with it. */
const outsideFunction =
  /^(?:file|catboostEvaluate|modelEvaluate|hasColumnInTable|reverseDNSQuery|getClientHTTPHeader|addressTo\w+|ai\w+|disk)$/i;
/**
 * Settings that hold expressions in a text, that let VALUES hold expressions, that read the statement as another language, or that let
 * the server gather an answer that nobody takes.
 */
const refusedSetting =
  /^(?:additional_\w+_filters?|input_format_values_\w*expressions?|dialect|polyglot_dialect|parallel_replicas_custom_key|schema_inference_hints|max_result_(?:rows|bytes)|result_overflow_mode)$/i;
const phrases: [RegExp, string][] = [
  [/ INTO OUTFILE | FROM INFILE /, 'INTO OUTFILE and FROM INFILE are for files of the server.'],
  [/ ON CLUSTER /, 'ON CLUSTER reaches other servers.'],
  [/ PARALLEL WITH /, 'A question is one statement: PARALLEL WITH joins several.'],
  [/^ATTACH .* FROM '' /, 'ATTACH ... FROM reads files of the server.'],
  [/^ALTER .* (?:FETCH|EXPORT) (?:PART|PARTITION) /, 'FETCH and EXPORT reach other servers or files.'],
];

/** What names a database in them would be gone under that name. */
const takesDatabaseAway = /^(?:DROP|DETACH|RENAME) DATABASE /;

/**
 * @param ownDatabase of the service, without which no session opens
 * @returns why it is not run; undefined: it is
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
    return `${head.join(' ')} is not run here: it is for a connection of one's own, or reaches outside the data. Connect with the CLICKHOUSE_URL.`;
  }
  if (takesDatabaseAway.test(line) && words.slice(2).some(({ text }) => text === ownDatabase))
    return `${JSON.stringify(ownDatabase)} is the service's own database (CLICKHOUSE_DB): it is not dropped, detached or renamed here. Drop its tables instead.`;
  return phrases.find(([pattern]) => pattern.test(line))?.[1] ?? outside(words, tableFunctions);
}

/** Its rows may be cut; of a statement that writes, none. */
export const isRead = (canonical: string) => reads.test(canonical.replace(/^\(+/, ''));

/** The rows of VALUES are no part of what the parser gives back. */
export const hasValues = (canonical: string) => /^INSERT INTO .* FORMAT Values$/s.test(canonical);

function outside(words: Word[], tableFunctions: ReadonlySet<string>): string | undefined {
  const isDatabase = words[1]?.text === 'DATABASE' || words[3]?.text === 'DATABASE';
  for (const [at, { text, kind }] of words.entries()) {
    if (kind === 'string' || kind === 'mark') continue;
    const next = words[at + 1];
    if (refusedSetting.test(text)) return `The setting ${text} is not taken here.`;
    if (next?.text === '(' && reachesOutside(text, tableFunctions))
      return `${text} reaches outside the database, or holds expressions in a text, which can't be judged.`;
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
