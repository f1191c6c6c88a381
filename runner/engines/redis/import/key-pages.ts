import type { Reply } from '../resp-reader.ts';
import { refusedBy } from './refused-by.ts';
import type { ServerConnection } from './server-connection.ts';

/** The number of keys that the server visits for one reply. */
const pageSize = '2000';

/**
 * Lists every key that exists during the whole scan at least once. The next page is requested while the current one is used.
 * https://redis.io/docs/latest/commands/scan/
 * @throws EngineError, ImportRefusal
 */
export async function* keyPages(connection: Pick<ServerConnection, 'call'>): AsyncGenerator<Buffer[]> {
  let coming: Promise<Page> | undefined = page(connection, '0');
  while (coming) {
    const { cursor, keys }: Page = await coming;
    coming = cursor === '0' ? undefined : page(connection, cursor);
    coming?.catch(() => {}); // reported when it is awaited
    if (keys.length > 0) yield keys;
  }
}

interface Page {
  cursor: string;
  keys: Buffer[];
}

async function page(connection: Pick<ServerConnection, 'call'>, from: string): Promise<Page> {
  const reply = await connection.call('SCAN', from, 'COUNT', pageSize);
  if (reply.type === 'error') throw refusedBy('SCAN', reply.value);
  const [cursor, keys] = reply.type === 'array' ? reply.items : [];
  if (cursor?.type !== 'string' || keys?.type !== 'array') throw new Error('SCAN gave an unexpected reply');
  return { cursor: cursor.value.toString(), keys: keys.items.flatMap(bytesOf) };
}

const bytesOf = (item: Reply): Buffer[] => (item.type === 'string' ? [item.value] : []);
