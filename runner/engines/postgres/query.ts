/** Runs a statement that the user wrote. */
import type { DatabaseAnswerOf } from '../../../protocol/database.ts';
import type { QueryCaps } from '../engine.ts';
import { EngineError } from '../engine-error.ts';
import { distinctNames, rowsWithin } from '../row.ts';
import { boundedAnswer } from './bounded-answer.ts';
import type { Connections } from './connections.ts';
import { engineError } from './errors.ts';
import { type PortalAnswer, readPortal } from './portal.ts';
import { readStatement, type Statement } from './refused-statement.ts';
import { decodedRow, type ResultType, resultTypes } from './values.ts';

type QueryAnswer = DatabaseAnswerOf<'query'>;

/** A row is assembled before its size is known. A larger row ends the connection. */
const rowBytesMax = 32_000_000;
const tooLarge = {
  bytesMax: rowBytesMax,
  words: `A row has more than ${rowBytesMax / 1e6} MB, so the statement was aborted: select less of it, such as left(column, 1000).`,
};

/** @throws EngineError */
export async function runQuery(
  connections: Connections,
  { text, user }: { text: string; user: string },
  caps: QueryCaps,
): Promise<QueryAnswer> {
  const statement = accepted(text, user);
  const answer = await connections.changing(caps.timeoutMs, async (client) => {
    try {
      await client.query(`SET statement_timeout = ${Math.round(caps.timeoutMs)}`);
      const limits = { ...caps, toTheEnd: statement.isChange };
      return await boundedAnswer(client, tooLarge, (progress) => readPortal(client, text, limits, progress));
    } catch (error) {
      throw engineError(error, { text, timeoutMs: caps.timeoutMs, isSentChange: true });
    }
  });
  if (answer.isEmpty) throw new EngineError('invalid_request', 'There is no statement to run.');
  const types = await connections.reading((client) => resultTypes(client, answer.fields));
  return answered(answer, types, caps.bytesMax);
}

function accepted(text: string, user: string): Statement {
  if (text.includes('\0'))
    throw new EngineError('invalid_request', 'A statement cannot contain a NUL character.');
  const statement = readStatement(text, user);
  if (statement.isEmpty) throw new EngineError('invalid_request', 'There is no statement to run.');
  if (statement.refusal !== undefined) throw new EngineError('unsupported', statement.refusal);
  return statement;
}

function answered(answer: PortalAnswer, types: ResultType[], bytesMax: number): QueryAnswer {
  const names = distinctNames(answer.fields.map(({ name }) => name));
  const decoders = types.map(({ decode }) => decode);
  const all = answer.rows.map((values) => decodedRow(names, decoders, values));
  const rows = rowsWithin(all, bytesMax);
  const [verb = '', ...counts] = answer.tag?.split(' ') ?? [];
  const isRead = verb === 'SELECT' && answer.fields.length > 0;
  const affected = Number(counts.at(-1));
  return {
    columns: names.map((name, place) => ({ name, type: types[place]?.type ?? 'unknown' })),
    rows,
    rowCount: isRead || !Number.isInteger(affected) ? rows.length : affected,
    truncated: answer.truncated || rows.length < all.length,
  };
}
