/** Changes one row of a key, but only if the key has not changed since it was read. */
import { EngineError } from '../engine-error.ts';
import type { Json } from '../row.ts';
import { keyColumns } from './key-kinds.ts';
import { existingType } from './key-rows.ts';
import type { RespConnection } from './resp-connection.ts';
import { type Plan, rowEdits } from './row-edits.ts';
import type { Values } from './row-words.ts';

export type Change =
  | { action: 'insert'; values: Values }
  | { action: 'update'; primaryKey: Values; values: Values }
  | { action: 'delete'; primaryKey: Values };

/** The number of attempts after which another client is changing the key all the time. */
const attemptsMax = 10;

/**
 * @returns the key of a new row; null for any other change
 * @throws EngineError `not_found` for a missing key or row; `conflict` for a row that already exists
 */
export async function editKey(
  connection: RespConnection,
  key: Buffer,
  change: Change,
): Promise<string | number | null> {
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    await connection.call(['WATCH', key]);
    const { commands, id } = await planOf(connection, key, change);
    const replies = await connection.batch([['MULTI'], ...commands, ['EXEC']]);
    const refused = replies.find(({ type }) => type === 'error');
    const done = replies.at(-1);
    if (done?.type === 'null') continue; // another client changed the key in between
    if (done?.type !== 'array')
      throw failed(refused?.type === 'error' ? refused.value : 'Redis did nothing.');
    for (const reply of done.items) if (reply.type === 'error') throw failed(reply.value);
    return id ? id(done.items[0]) : null;
  }
  throw new EngineError('conflict', 'Others keep changing this key: try again.');
}

async function planOf(connection: RespConnection, key: Buffer, change: Change): Promise<Plan> {
  const type = await existingType(connection, key);
  const edits = rowEdits[type];
  if (change.action === 'insert') return edits.insert(connection, key, change.values);
  const row = rowKey(change.primaryKey, keyColumns[type][0]?.name ?? '');
  if (change.action === 'update') return edits.update(connection, key, row, change.values);
  return edits.remove(connection, key, row);
}

function rowKey(primaryKey: Values, column: string): Json {
  const value = primaryKey[column];
  if (value !== undefined && Object.keys(primaryKey).length === 1) return value;
  throw new EngineError('invalid_request', `\`primaryKey\` must contain \`${column}\`, and nothing else.`);
}

function failed(words: string): EngineError {
  return new EngineError('invalid_request', words);
}
