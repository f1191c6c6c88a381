/** The commands that a client may run: those on the data of the service's own database. Unknown ones are refused. */
import { EngineError } from '../engine-error.ts';
import type { Json } from '../row.ts';
import { isHiddenCollection } from './collections.ts';
import type { JsonDocument } from './extended-json.ts';

/** Commands whose result is read with a cursor. */
export const cursorCommands: ReadonlySet<string> = new Set([
  'find',
  'aggregate',
  'listCollections',
  'listIndexes',
]);
/** Commands that report how many documents they changed. */
export const writeCommands: ReadonlySet<string> = new Set(['insert', 'update', 'delete']);
const explained = ['find', 'aggregate', 'count', 'distinct'];
const allowed: ReadonlySet<string> = new Set([
  ...cursorCommands,
  ...writeCommands,
  ...['findAndModify', 'count', 'distinct', 'explain', 'collStats', 'dbStats', 'ping', 'buildInfo'],
  ...['create', 'collMod', 'drop', 'dropDatabase', 'createIndexes', 'dropIndexes'],
]);

/** Fields that set how a command runs or that belong to the session. */
const reservedFields = new Set(['lsid', 'txnNumber', 'startTransaction', 'autocommit']);

/** Server-side JavaScript, and stages that look beyond the database. */
const refusedOperators = new Set([
  '$where',
  '$function',
  '$accumulator',
  '$changeStream',
  '$changeStreamSplitLargeEvent',
  '$currentOp',
  '$listClusterCatalog',
  '$listLocalSessions',
  '$listSampledQueries',
  '$listSessions',
  '$queryStats',
  '$shardedDataDistribution',
]);
/** Stages that name a collection, possibly in another database. */
const collectionStages = new Set(['$out', '$merge', '$lookup', '$graphLookup', '$unionWith']);

/** @throws EngineError `unsupported` */
export function checkCommand(command: JsonDocument, database: string): void {
  const [name = ''] = Object.keys(command);
  if (!allowed.has(name)) {
    const words = `The command ${JSON.stringify(name)} can't be run here. Those that can: ${[...allowed].sort().join(', ')}.`;
    throw new EngineError('unsupported', words);
  }
  for (const field of Object.keys(command)) {
    if (field.startsWith('$') || reservedFields.has(field)) throw refused(field);
  }
  const target = command[name];
  if (typeof target === 'string' && isHiddenCollection(target)) throw refused(target);
  if (name === 'explain') checkExplained(target, database);
  // Documents to insert are data, regardless of the names of their fields.
  const { documents, ...instructions } = command;
  checkOperators(name === 'insert' ? instructions : command, database);
}

function checkExplained(target: Json | undefined, database: string): void {
  if (!isDocument(target) || !explained.includes(Object.keys(target)[0] ?? ''))
    throw new EngineError('unsupported', `explain takes one of ${explained.join(', ')}.`);
  checkCommand(target, database);
}

function checkOperators(value: Json | undefined, database: string): void {
  if (Array.isArray(value)) for (const inner of value) checkOperators(inner, database);
  if (!isDocument(value)) return;
  for (const [name, inner] of Object.entries(value)) {
    if (refusedOperators.has(name)) throw refused(name);
    if (collectionStages.has(name)) checkStage(name, inner, database);
    checkOperators(inner, database);
  }
}

/** `"x"`, `{"db", "coll"}`, `{"into": "x"}`, `{"into": {"db", "coll"}}`, `{"from": {"db", "coll"}}`. */
function checkStage(name: string, stage: Json, database: string): void {
  if (typeof stage === 'string' && isHiddenCollection(stage)) throw refused(stage);
  if (!isDocument(stage)) return;
  if (stage.db !== undefined && stage.db !== database)
    throw new EngineError(
      'unsupported',
      `${name} may not name a database other than ${JSON.stringify(database)}.`,
    );
  for (const key of ['into', 'from', 'coll'])
    if (stage[key] !== undefined) checkStage(name, stage[key], database);
}

const isDocument = (value: Json | undefined): value is JsonDocument =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const refused = (name: string) =>
  new EngineError(
    'unsupported',
    `${JSON.stringify(name)} can't be used here: a command works on the data of its own database.`,
  );
