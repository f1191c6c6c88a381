/** Runs a command that the user wrote: a JSON document. */
import type { Db, Document, MongoClient } from 'mongodb';
import type { DatabaseAnswerOf } from '../../../protocol/database.ts';
import { isExactNumber } from '../../../protocol/exact-number.ts';
import type { QueryCaps } from '../engine.ts';
import { EngineError } from '../engine-error.ts';
import { numbersIn, repeatsNames } from '../exact-json.ts';
import type { Json } from '../row.ts';
import { exactValues } from './client.ts';
import { hiddenDatabases } from './collections.ts';
import { checkCommand, cursorCommands, writeCommands } from './command-policy.ts';
import { changing, tookTooLong } from './errors.ts';
import { documentJson, fieldsOf, fromJson, type JsonDocument } from './extended-json.ts';

type QueryAnswer = DatabaseAnswerOf<'query'>;

/** Fields of a reply that are not its content. */
const envelope = new Set(['ok', '$clusterTime', 'operationTime']);

/** @param database in which the command runs, unless its `$db` sets another one */
export async function runCommand(
  client: MongoClient,
  { text, database }: { text: string; database: string },
  caps: QueryCaps,
): Promise<QueryAnswer> {
  const { $db: place = database, ...json } = parsed(text);
  if (typeof place !== 'string' || place === '' || hiddenDatabases.has(place))
    throw new EngineError(
      'unsupported',
      `Commands are not allowed in the database ${JSON.stringify(place)}.`,
    );
  checkCommand(json, place);
  const [name = ''] = Object.keys(json);
  const maxTimeMS = timeOf(json, caps);
  const command = Object.assign({}, fromJson(json, 'The command'), { maxTimeMS });
  return await changing(() => run(client.db(place), { name, json, command }, caps), maxTimeMS);
}

interface Asked {
  name: string;
  /** The command in the user's form; `command` is sent. */
  json: JsonDocument;
  command: Document;
}

async function run(db: Db, { name, json, command }: Asked, caps: QueryCaps): Promise<QueryAnswer> {
  if (cursorCommands.has(name) && json.explain !== true) return await readCursor(db, name, command, caps);
  const reply = await db.command(command, exactValues);
  refuseWriteErrors(reply);
  if (writeCommands.has(name)) return { columns: [], rows: [], rowCount: Number(reply.n), truncated: false };
  return answered(
    documentsOf(name, json, reply),
    caps,
    name === 'findAndModify' ? reply.lastErrorObject : undefined,
  );
}

function parsed(text: string): JsonDocument {
  let value: Json;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    throw new EngineError('invalid_request', `A query is one command as a JSON document: ${words}`, {
      cause: error,
    });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value) || Object.keys(value).length === 0)
    throw new EngineError(
      'invalid_request',
      'A query is one command as a JSON document, such as {"find": "users"}.',
    );
  refuseLost(value, text);
  return value;
}

/** @throws EngineError for values that parsing has lost: the digits of a number, or one of two fields of the same name */
function refuseLost(value: Json, text: string): void {
  const number = numbersIn(text).find((one) => !isExactNumber(one));
  if (number !== undefined)
    throw new EngineError(
      'invalid_request',
      `The command contains the number ${number.slice(0, 50)}, which JSON numbers can't hold exactly: write {"$numberLong": "..."}, {"$numberDouble": "..."} or {"$numberDecimal": "..."}.`,
    );
  if (repeatsNames(value, text))
    throw new EngineError('invalid_request', 'The command names a field twice in the same document.');
}

/** The user may set a shorter time limit than ours. */
function timeOf({ maxTimeMS }: JsonDocument, { timeoutMs }: QueryCaps): number {
  const wanted = typeof maxTimeMS === 'number' && maxTimeMS > 0 ? maxTimeMS : timeoutMs;
  return Math.round(Math.min(wanted, timeoutMs));
}

async function readCursor(db: Db, name: string, command: Document, caps: QueryCaps): Promise<QueryAnswer> {
  const deadline = performance.now() + caps.timeoutMs;
  const complete = name === 'aggregate' ? { ...command, cursor: command.cursor ?? {} } : command;
  const cursor = db.runCursorCommand(complete, exactValues);
  try {
    const read: Document[] = [];
    let bytes = 0;
    for await (const document of cursor) {
      read.push(document);
      bytes += Buffer.byteLength(JSON.stringify(documentJson(document)));
      if (read.length > caps.rowsMax || bytes > caps.bytesMax) break;
      if (performance.now() > deadline) throw tookTooLong(caps.timeoutMs);
    }
    return answered(read, caps);
  } finally {
    await cursor.close().catch(() => {});
  }
}

/** The documents in a reply that has no cursor. */
function documentsOf(name: string, { key }: JsonDocument, reply: Document): Document[] {
  if (name === 'distinct') return reply.values.map((value: unknown) => ({ [String(key)]: value }));
  if (name === 'findAndModify') return reply.value === null ? [] : [reply.value];
  const said = Object.entries(reply).filter(([field]) => !envelope.has(field));
  return said.length === 0 ? [] : [Object.fromEntries(said)];
}

function answered(documents: Document[], { rowsMax, bytesMax }: QueryCaps, changed?: Document): QueryAnswer {
  const rows: JsonDocument[] = [];
  let bytes = 0;
  for (const document of documents.slice(0, rowsMax)) {
    const row = documentJson(document);
    bytes += Buffer.byteLength(JSON.stringify(row));
    if (bytes > bytesMax) break;
    rows.push(row);
  }
  return {
    columns: fieldsOf(documents.slice(0, rows.length)),
    rows,
    rowCount: changed ? Number(changed.n) : rows.length,
    truncated: rows.length < documents.length,
  };
}

/** A failed write is reported in an ordinary reply. Writes before the first failure stay. */
function refuseWriteErrors(reply: Document): void {
  const [first]: Document[] = reply.writeErrors ?? [];
  if (!first) return;
  const code = Number(first.code);
  const words = `${first.errmsg} (${code}); ${Number(reply.n)} documents were changed before the error.`;
  throw new EngineError(code === 11_000 ? 'conflict' : 'invalid_request', words);
}
