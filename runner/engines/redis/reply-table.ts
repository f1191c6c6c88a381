/** Shows a reply as columns and rows: a list has a row per item, a map a row per entry, anything else one row. Nested replies are JSON. */
import type { DatabaseAnswerOf } from '../../../protocol/database.ts';
import type { QueryCaps } from '../engine.ts';
import { type Json, rowsWithin } from '../row.ts';
import { textOf } from './byte-text.ts';
import type { CappedReply, Reply } from './resp-reader.ts';

type Answer = DatabaseAnswerOf<'query'>;

/** `rowCount` is the number of rows. For commands that count their changes, the session corrects it. */
export function replyTable({ reply, truncated }: CappedReply, caps: QueryCaps): Answer {
  const { columns, rows } = wholeTable(reply);
  const fitting = rowsWithin(rows, caps.bytesMax);
  return {
    columns,
    rows: fitting,
    rowCount: fitting.length,
    truncated: truncated || fitting.length < rows.length,
  };
}

function wholeTable(reply: Reply): Pick<Answer, 'columns' | 'rows'> {
  if (reply.type === 'map') {
    const keys = reply.entries.map(([key]) => key);
    const values = reply.entries.map(([, value]) => value);
    return {
      columns: [
        { name: 'key', type: commonType(keys) },
        { name: 'value', type: commonType(values) },
      ],
      rows: reply.entries.map(([key, value]) => ({ key: jsonOf(key), value: jsonOf(value) })),
    };
  }
  const items = reply.type === 'array' || reply.type === 'set' ? reply.items : [reply];
  return {
    columns: [{ name: 'value', type: commonType(items) }],
    rows: items.map((item) => ({ value: jsonOf(item) })),
  };
}

/** The type of all items that are not null; `mixed` when they differ. */
function commonType(replies: Reply[]): string {
  const types = new Set(replies.map(({ type }) => type));
  if (types.size > 1) types.delete('null');
  const [type = 'null', ...others] = types;
  return others.length > 0 ? 'mixed' : type;
}

/** Integers have 64 bits and become text, and so do the doubles that JSON can't express: inf, -inf, nan, and Redis's -0. */
export function jsonOf(reply: Reply): Json {
  switch (reply.type) {
    case 'string':
      return textOf(reply.value);
    case 'integer':
      return reply.value;
    case 'double':
      return doubleOf(reply.value);
    case 'boolean':
      return reply.value;
    case 'null':
      return null;
    case 'error':
      return { error: reply.value };
    case 'array':
    case 'set':
      return reply.items.map(jsonOf);
    case 'map':
      // The keys of a nested map are usually strings; any other key is shown as its text.
      return Object.fromEntries(reply.entries.map(([key, value]) => [keyText(key), jsonOf(value)]));
  }
}

export function doubleOf(text: string): number | string {
  const value = Number(text);
  return Number.isFinite(value) && !Object.is(value, -0) ? value : text;
}

function keyText(key: Reply): string {
  const json = jsonOf(key);
  return typeof json === 'string' ? json : JSON.stringify(json);
}
