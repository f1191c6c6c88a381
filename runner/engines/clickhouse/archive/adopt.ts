/** Rewrites the objects of a source for this server: it puts them into the service's database, with engines that need no other server. */
import { ImportRefusal } from '../../archive/import-refusal.ts';
import { escapedName } from '../bound-value.ts';
import { isLocalEngine } from '../local-engines.ts';
import type { Manifest, SavedObject } from './manifest.ts';

const text = String.raw`'(?:\\.|''|[^'\\])*'`;
const name = String.raw`(?:${'`'}(?:\\.|${'``'}|[^${'`'}\\])*${'`'}|"(?:\\.|""|[^"\\])*"|[A-Za-z_]\w*)`;
const tokens = new RegExp(`${text}|${name}|\\d\\w*|[\\s\\S]`, 'g');
/** The only accepted statements of a source, because they are run here. */
const made = new RegExp(`^CREATE (?:TABLE|DICTIONARY|(?:MATERIALIZED |WINDOW )?VIEW) (${name})\\.`);
const madeFunction = /^CREATE FUNCTION /;
/** The path and the replica name are the first arguments. https://clickhouse.com/docs/engines/table-engines/mergetree-family/replication */
const replicated = new RegExp(
  String.raw`^ENGINE = (?:Replicated|Shared)(\w*MergeTree)(?:\(${text}, ${text}(\)|, ))?`,
);

/**
 * Leaves out tables whose rows are on another server.
 * @param to the database here
 * @throws ImportRefusal
 */
export function adopted({ objects, functions, ...manifest }: Manifest, from: string, to: string): Manifest {
  const kept = objects.filter(({ engine }) => isLocalEngine(engine));
  if (kept.length === 0)
    throw new ImportRefusal(
      `The database ${from} of the source is empty, or its user may not see what is in it.`,
    );
  return {
    ...manifest,
    functions: functions.filter((statement) => madeFunction.test(statement)),
    objects: kept.map((object) => adoptedObject(object, from, to)),
  };
}

function adoptedObject(object: SavedObject, from: string, to: string): SavedObject {
  const own = made.exec(object.statement)?.[1];
  if (own === undefined || meant(own) !== from)
    throw new ImportRefusal(`The source sent a statement for ${object.name} that does not create it.`);
  return {
    ...object,
    database: to,
    engine: object.engine.replace(/^(?:Replicated|Shared)(?=\w*MergeTree$)/, ''),
    statement: renamed(withoutReplicas(object.statement), { object: object.name, from, to }),
  };
}

/** Starts at the first ENGINE outside of strings and names: the real clause. */
function withoutReplicas(statement: string): string {
  for (const { 0: token, index } of statement.matchAll(tokens)) {
    if (token !== 'ENGINE') continue;
    const clause = statement
      .slice(index)
      .replace(replicated, (_, engine: string, next = '') => `ENGINE = ${engine}${next === ', ' ? '(' : ''}`);
    return statement.slice(0, index) + clause;
  }
  return statement;
}

/** @throws ImportRefusal when a string contains the database's name, because it can't be distinguished from a plain value */
function renamed(
  statement: string,
  { object, from, to }: { object: string; from: string; to: string },
): string {
  if (from === to) return statement;
  const found = [...statement.matchAll(tokens)].map(([token]) => token);
  return found
    .map((token, at) => {
      if (token.startsWith("'") && (meant(token) === from || meant(token).startsWith(`${from}.`)))
        throw new ImportRefusal(
          `${object} of the source contains its database's name in a string (${token}): import it into a service whose CLICKHOUSE_DB is ${from}.`,
        );
      const isDatabase = found[at + 1] === '.' && found[at - 1] !== '.' && /^[`"A-Za-z_]/.test(token);
      return isDatabase && meant(token) === from ? escapedName(to) : token;
    })
    .join('');
}

/** The name or string without its quotes. */
function meant(token: string): string {
  const quote = token[0] ?? '';
  if (!/['`"]/.test(quote)) return token;
  return token
    .slice(1, -1)
    .replace(/\\(.)/gs, '$1')
    .replaceAll(quote + quote, quote);
}
