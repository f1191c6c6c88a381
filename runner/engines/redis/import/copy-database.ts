/** Copies one logical database. Keys are listed, requested, written and counted in parallel, each on its own connection. */
import { commandBytes } from '../resp-connection.ts';
import type { Reply } from '../resp-reader.ts';
import { AskedKeys } from './asked-keys.ts';
import { DumpReplies, DumpRequests, type ExpiryCommand } from './dump-replies.ts';
import { ExpiryCounts } from './expiry-counts.ts';
import { refusedBy } from './refused-by.ts';
import { RestoreReplies } from './restore-replies.ts';
import type { RedisServer } from './server.ts';
import { ServerConnection } from './server-connection.ts';

export interface DatabaseCopy {
  source: RedisServer;
  fresh: RedisServer;
  /** The database's number, which is the same on both sides. */
  database: number;
  expiry: ExpiryCommand;
  signal: AbortSignal;
  /** @param restored the number of keys of this database so far */
  progress(restored: number): void;
}

/** `source`: keys that existed in the source when they were read; `loaded`: keys that are here now, plus those that have expired since. */
export interface CopiedKeys {
  source: number;
  loaded: number;
}

interface Ends {
  scanned: ServerConnection;
  dumped: ServerConnection;
  filled: ServerConnection;
}

/** @throws EngineError, ImportRefusal, RestoreRefused; the signal's reason */
export async function copyDatabase(copy: DatabaseCopy): Promise<CopiedKeys> {
  const failed = new AbortController();
  const ends = await open({ ...copy, signal: AbortSignal.any([copy.signal, failed.signal]) });
  const asked = new AskedKeys();
  const expiries = new ExpiryCounts(Date.now());
  const replies = new RestoreReplies(expiries);
  try {
    const work = [ask(ends, asked, copy), pass(ends, asked, { ...copy, replies }), hear(ends, replies, copy)];
    // The first failure ends the others and is thrown.
    for (const one of work) one.catch((error: unknown) => failed.abort(error));
    await Promise.all(work);
  } finally {
    for (const end of Object.values(ends)) end.close();
  }
  const held = replies.held ?? 0;
  const passed = Math.min(expiries.dueBy(Date.now()), Math.max(0, replies.restored - held));
  return { source: replies.restored, loaded: held + passed };
}

async function open({ source, fresh, database, signal }: DatabaseCopy): Promise<Ends> {
  const opening = [source, source, fresh].map((server) => ServerConnection.open(server, database, signal));
  const settled = await Promise.allSettled(opening);
  const [scanned, dumped, filled] = settled.map((one) =>
    one.status === 'fulfilled' ? one.value : undefined,
  );
  if (scanned && dumped && filled) return { scanned, dumped, filled };
  for (const one of [scanned, dumped, filled]) one?.close();
  throw settled.find((one) => one.status === 'rejected')?.reason;
}

async function ask({ scanned, dumped }: Ends, asked: AskedKeys, { expiry }: DatabaseCopy): Promise<void> {
  const requests = new DumpRequests(expiry);
  for await (const keys of keyPages(scanned)) {
    for (let from = 0; from < keys.length; ) {
      const some = keys.slice(from, from + (await asked.room()));
      asked.add(some);
      await dumped.write(requests.commands(some));
      from += some.length;
    }
  }
  await dumped.write([commandBytes([['PING']])]); // its reply marks the end, regardless of its text
}

async function pass(
  { dumped, filled }: Ends,
  asked: AskedKeys,
  { expiry, replies }: DatabaseCopy & { replies: RestoreReplies },
): Promise<void> {
  const restored = (key: Buffer, expiresAt: number) => replies.sent(key, expiresAt);
  const dumps = new DumpReplies(asked, { expiry, restored });
  while (!dumps.isEnded) await filled.write(dumps.commands(await dumped.chunk()));
  await filled.write([commandBytes([['DBSIZE']])]);
}

async function hear({ filled }: Ends, replies: RestoreReplies, { progress }: DatabaseCopy): Promise<void> {
  while (replies.held === undefined) {
    replies.read(await filled.chunk({ mayBeSilent: true }));
    progress(replies.restored);
  }
}

/** The number of keys that the server visits for one reply. */
const pageSize = '2000';

/**
 * Lists every key that exists during the whole scan at least once. The next page is requested while the current one is used.
 * https://redis.io/docs/latest/commands/scan/
 * @throws EngineError, ImportRefusal
 */
async function* keyPages(connection: Pick<ServerConnection, 'call'>): AsyncGenerator<Buffer[]> {
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
