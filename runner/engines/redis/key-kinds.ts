/** The columns of a key's rows, by the key's type. The first column is the row's key. */
import type { DatabaseAnswerOf } from '../../../protocol/database.ts';

type Columns = DatabaseAnswerOf<'rows'>['columns'];

export const keyTypes = ['string', 'hash', 'list', 'set', 'zset', 'stream'] as const;
export type KeyType = (typeof keyTypes)[number];

export const keyColumns: Readonly<Record<KeyType, Columns>> = {
  // The value is its own key: a change includes the replaced value.
  string: [{ name: 'value', type: 'string', primary: true }],
  hash: [
    { name: 'field', type: 'string', primary: true },
    { name: 'value', type: 'string', primary: false },
  ],
  list: [
    { name: 'index', type: 'integer', primary: true },
    { name: 'value', type: 'string', primary: false },
  ],
  set: [{ name: 'member', type: 'string', primary: true }],
  zset: [
    { name: 'member', type: 'string', primary: true },
    { name: 'score', type: 'double', primary: false },
  ],
  // `fields` is a list of name and value pairs, since a name may occur twice.
  stream: [
    { name: 'id', type: 'string', primary: true },
    { name: 'fields', type: 'array', primary: false },
  ],
};

export const isKeyType = (type: string): type is KeyType => keyTypes.some((known) => known === type);
