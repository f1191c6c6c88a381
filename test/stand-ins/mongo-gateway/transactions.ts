/** Transactions of clients' sessions, and reads of an earlier moment: each is a transaction of PostgreSQL that stays open. */
import type { Timestamp } from 'bson';
import type pg from 'pg';
import type { Command } from './command.ts';
import { CommandError } from './errors.ts';
import type { ReplicaSet } from './replica-set.ts';
import type { Store } from './store.ts';

/** As long as mongod keeps what earlier reads need, without a longer setting. */
const historySeconds = 300;

export class Transactions {
  readonly #store: Store;
  readonly #set: ReplicaSet;
  readonly #open = new Map<string, pg.PoolClient>();
  readonly #moments = new Map<string, pg.PoolClient>();
  historySeconds = historySeconds;

  constructor(store: Store, set: ReplicaSet) {
    this.#store = store;
    this.#set = set;
  }

  /** The connection for a command: undefined when it belongs to none. @throws CommandError */
  async clientOf({ name, field }: Command): Promise<pg.PoolClient | undefined> {
    if (field('txnNumber') !== undefined && !this.#set.isOn)
      throw new CommandError(
        20,
        'IllegalOperation',
        'Transaction numbers are only allowed on a replica set member or mongos',
      );
    if (field('autocommit') === undefined) return undefined;
    const key = keyOf(field);
    if (field('startTransaction') === true) this.#open.set(key, await this.#store.begin());
    const client = this.#open.get(key);
    if (!client && name !== 'abortTransaction')
      throw new CommandError(251, 'NoSuchTransaction', 'The transaction does not exist, or was aborted');
    return client;
  }

  /** Ends a transaction. */
  async end({ name, field }: Command): Promise<void> {
    const key = keyOf(field);
    const client = this.#open.get(key);
    this.#open.delete(key);
    if (!client) return;
    await client.query(name === 'commitTransaction' ? 'COMMIT' : 'ROLLBACK');
    client.release();
  }

  /** A read with the level `snapshot`: opens a moment, or finds the one that it names. @throws CommandError */
  async moment({ field }: Command): Promise<{ client: pg.PoolClient; at: Timestamp } | undefined> {
    const concern = field('readConcern') as { level?: string; atClusterTime?: Timestamp } | undefined;
    if (concern?.level !== 'snapshot' || field('autocommit') !== undefined) return undefined;
    if (!this.#set.isPrimary)
      throw new CommandError(
        123,
        'NotAReplicaSet',
        'node needs to be a replica set member to use read concern',
      );
    const { atClusterTime } = concern;
    if (atClusterTime) {
      const client = this.#moments.get(String(atClusterTime));
      if (client) return { client, at: atClusterTime };
      throw new CommandError(239, 'SnapshotTooOld', 'Read timestamp is older than the oldest available');
    }
    const at = this.#set.tick();
    const client = await this.#store.begin();
    this.#moments.set(String(at), client);
    setTimeout(() => this.#forget(String(at)), this.historySeconds * 1000).unref();
    return { client, at };
  }

  /** A shorter history ends the moments before. Their locks would stop commands that drop collections. */
  keepHistory(seconds: number): void {
    if (seconds < this.historySeconds) for (const at of [...this.#moments.keys()]) this.#forget(at);
    this.historySeconds = seconds;
  }

  #forget(at: string): void {
    const client = this.#moments.get(at);
    this.#moments.delete(at);
    if (client)
      void client.query('ROLLBACK').then(
        () => client.release(),
        () => client.release(true),
      );
  }
}

const keyOf = (field: Command['field']) => {
  const { id } = field('lsid') as { id: { toString(encoding: 'hex'): string } };
  return `${id.toString('hex')} ${field('txnNumber')}`;
};
