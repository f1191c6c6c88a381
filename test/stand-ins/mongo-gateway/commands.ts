/** The commands of clients: each a call of DocumentDB, or an answer of the gateway's own. */
import { deserialize, Long, serialize } from 'bson';
import { beginConversation, continueConversation, speculated } from './authentication.ts';
import { type Command, parseCommand, type Session } from './command.ts';
import { CommandError, unpackedCode } from './errors.ts';
import { joined, namesOf } from './raw-document.ts';
import type { ReplicaSet } from './replica-set.ts';
import type { Store } from './store.ts';
import { Transactions } from './transactions.ts';
import {
  isOfUserCollection,
  ofUserCollection,
  userCommands,
  withUserCollection,
  withUserDatabase,
} from './user-commands.ts';
import type { Users } from './users.ts';
import { messageBytesMax } from './wire.ts';

type Reply = Buffer | Record<string, unknown>;
type Handlers = Readonly<Record<string, (command: Command) => Reply | Promise<Reply>>>;

/** What it comes closest to. */
const version = '7.0.0';
const wireVersion = 21;
const spec = '$2::bytea::documentdb_core.bson';

/** Commands that open a cursor. */
const pages: Readonly<Record<string, string>> = {
  find: 'find_cursor_first_page',
  aggregate: 'aggregate_cursor_first_page',
  listCollections: 'list_collections_cursor_first_page',
  listIndexes: 'list_indexes_cursor_first_page',
};

/** Commands that are one call. $1 is the database, $2 the command, $3 what the command's name points to: the collection. */
const calls: Readonly<Record<string, string>> = {
  insert: `SELECT p_result::bytea AS document FROM documentdb_api.insert($1, ${spec})`,
  update: `SELECT p_result::bytea AS document FROM documentdb_api.update($1, ${spec})`,
  delete: `SELECT p_result::bytea AS document FROM documentdb_api.delete($1, ${spec})`,
  findAndModify: `SELECT p_result::bytea AS document FROM documentdb_api.find_and_modify($1, ${spec})`,
  count: `SELECT document::bytea FROM documentdb_api.count_query($1, ${spec})`,
  distinct: `SELECT document::bytea FROM documentdb_api.distinct_query($1, ${spec})`,
  create: `SELECT documentdb_api.create_collection_view($1, ${spec})::bytea AS document`,
  createIndexes: `SELECT documentdb_api_internal.create_indexes_non_concurrently($1, ${spec}, true)::bytea AS document`,
  collMod: `SELECT documentdb_api.coll_mod($1, $3, ${spec})::bytea AS document`,
  collStats: 'SELECT documentdb_api.coll_stats($1, $3)::bytea AS document WHERE $2::bytea IS NOT NULL',
  dbStats: 'SELECT documentdb_api.db_stats($1)::bytea AS document WHERE $2::bytea IS NOT NULL',
  listDatabases: `SELECT documentdb_api.list_databases(${spec})::bytea AS document WHERE $1 = 'admin'`,
  renameCollection: `SELECT documentdb_api.rename_collection(${spec})::bytea AS document WHERE $1 = 'admin'`,
  drop: 'SELECT NULL::bytea AS document FROM documentdb_api.drop_collection($1, $3) WHERE $2::bytea IS NOT NULL',
  dropDatabase:
    'SELECT NULL::bytea AS document FROM documentdb_api.drop_database($1) WHERE $2::bytea IS NOT NULL',
};

export class Commands {
  readonly #store: Store;
  readonly #users: Users;
  readonly #set: ReplicaSet;
  readonly #transactions: Transactions;
  readonly #clients = new Set<Session>();
  #lastSession = 0;

  constructor(store: Store, users: Users, set: ReplicaSet) {
    this.#store = store;
    this.#set = set;
    this.#transactions = new Transactions(store, set);
    this.#users = users;
  }

  /** Of a new connection. @param signal aborted when the client is gone */
  session(signal: AbortSignal): Session {
    const session: Session = { id: ++this.#lastSession, signal, user: undefined, conversation: undefined };
    this.#clients.add(session);
    signal.addEventListener('abort', () => this.#clients.delete(session));
    return session;
  }

  /** @throws CommandError, or an error of PostgreSQL */
  async run(message: Buffer, session: Session): Promise<Buffer> {
    const command = parseCommand(message, session);
    const open = this.#open[command.name];
    if (open) return this.#encoded(await open(command));
    if (session.user === undefined && (await this.#users.exist()))
      throw new CommandError(13, 'Unauthorized', `Command ${command.name} requires authentication`);
    const ofSet = this.#set.commands[command.name];
    if (ofSet) return this.#encoded(await ofSet(command));
    if (this.#set.isOn && !this.#set.isPrimary)
      throw new CommandError(10_107, 'NotWritablePrimary', 'not primary');
    return this.#encoded(await this.#within(command));
  }

  /** In the transaction or at the moment that the command belongs to, if any. */
  async #within(command: Command): Promise<Reply> {
    const client = await this.#transactions.clientOf(command);
    if (command.name === 'commitTransaction' || command.name === 'abortTransaction') {
      await this.#transactions.end(command);
      return {};
    }
    if (client) {
      return await this.#answer({ ...command, options: { ...command.options, client } }).catch(
        async (error) => {
          await this.#transactions.end({ ...command, name: 'abortTransaction' });
          throw error;
        },
      );
    }
    const moment = await this.#transactions.moment(command);
    if (!moment) return await this.#answer(command);
    const options = { ...command.options, client: moment.client };
    const page = await this.#answer({ ...command, options });
    const isFirst = (command.field('readConcern') as Record<string, unknown>).atClusterTime === undefined;
    if (!isFirst || !Buffer.isBuffer(page)) return page;
    const { cursor, ok: _, ...rest } = deserialize(page, { promoteValues: false });
    return { ...rest, cursor: { ...cursor, atClusterTime: moment.at } };
  }

  #encoded(reply: Reply): Buffer {
    const document = Buffer.isBuffer(reply) ? reply : Buffer.from(serialize({ ...reply, ok: 1 }));
    return this.#set.isPrimary ? joined(document, Buffer.from(serialize(this.#set.times()))) : document;
  }

  async #answer(command: Command): Promise<Reply> {
    const { name, database, options } = command;
    const ofUsers = isOfUserCollection(command) ? ofUserCollection(this.#users)[name] : undefined;
    if (ofUsers) return await ofUsers(command);
    const page = pages[name];
    if (page) {
      const first = await this.#store.open(page, database, command.spec, options);
      const isOfAdmin = name === 'listCollections' && database === 'admin';
      return isOfAdmin ? await withUserCollection(first, this.#users) : first;
    }
    const own = this.#own[name] ?? userCommands(this.#store, this.#users)[name];
    if (own) return await own(command);
    const sql = calls[name];
    if (!sql) throw new CommandError(59, 'CommandNotFound', `no such command: '${name}'`);
    const values = [database, command.spec, ...(sql.includes('$3') ? [String(command.field(name))] : [])];
    const document = await this.#store.document(sql, values, options);
    if (!document) return {};
    if (name === 'listDatabases') return await withUserDatabase(document, this.#users);
    return namesOf(document).includes('writeErrors') ? withCodes(document) : document;
  }

  /** Before anybody knows who asks. */
  readonly #open: Handlers = {
    hello: (command) => this.#hello(command),
    isMaster: (command) => this.#hello(command),
    ismaster: (command) => this.#hello(command),
    ping: () => ({}),
    buildInfo: () => ({ version, versionArray: [7, 0, 0, 0], maxBsonObjectSize: 16_777_216 }),
    endSessions: () => ({}),
    saslStart: ({ session, database, field }) =>
      beginConversation(this.#users, session, database, {
        mechanism: field('mechanism'),
        payload: field('payload'),
        options: field('options'),
      }),
    saslContinue: continueConversation,
  };

  readonly #own: Handlers = {
    getMore: ({ field, spec, options }) => this.#store.more(Number(field('getMore')), spec, options),
    killCursors: async ({ field }) => {
      const cursorsKilled: Long[] = [];
      const cursorsNotFound: Long[] = [];
      for (const id of [field('cursors')].flat().map(Number)) {
        const list = (await this.#store.kill(id)) ? cursorsKilled : cursorsNotFound;
        list.push(Long.fromNumber(id));
      }
      return { cursorsKilled, cursorsNotFound, cursorsAlive: [], cursorsUnknown: [] };
    },
    dropIndexes: async ({ database, spec: indexes }) => {
      await this.#store.rows(`CALL documentdb_api.drop_indexes($1, ${spec}, NULL)`, [database, indexes]);
      return {};
    },
    updateUser: async ({ field }) => {
      const password = field('pwd');
      if (typeof password !== 'string' || password === '')
        throw new CommandError(2, 'BadValue', 'Of a user the password can be changed: pwd');
      const name = String(field('updateUser'));
      if (await this.#users.setPassword(name, password)) return {};
      throw new CommandError(11, 'UserNotFound', `User '${name}@admin' not found`);
    },
    connectionStatus: ({ session: { user } }) => {
      const of = <T>(one: T) => (user === undefined ? [] : [one]);
      return {
        authInfo: {
          authenticatedUsers: of({ user, db: 'admin' }),
          authenticatedUserRoles: of({ role: 'root', db: 'admin' }),
        },
      };
    },
    getParameter: () => ({ minSnapshotHistoryWindowInSeconds: this.#transactions.historySeconds }),
    setParameter: ({ field }) => {
      const seconds = field('minSnapshotHistoryWindowInSeconds');
      if (typeof seconds !== 'number') throw new CommandError(72, 'InvalidOptions', 'no such parameter');
      const was = this.#transactions.historySeconds;
      this.#transactions.keepHistory(seconds);
      return { was };
    },
    serverStatus: () => ({ version, connections: { current: this.#clients.size } }),
  };

  async #hello(command: Command): Promise<Reply> {
    return {
      helloOk: true,
      ...this.#set.hello(),
      maxBsonObjectSize: 16_777_216,
      maxMessageSizeBytes: messageBytesMax,
      maxWriteBatchSize: 100_000,
      localTime: new Date(),
      logicalSessionTimeoutMinutes: 30,
      connectionId: command.session.id,
      minWireVersion: 0,
      maxWireVersion: wireVersion,
      readOnly: false,
      ...(await speculated(this.#users, command)),
    };
  }
}

/** A write's result with the errors in MongoDB's numbers. */
function withCodes(document: Buffer): Record<string, unknown> {
  const result = deserialize(document);
  const writeErrors = result.writeErrors.map((one: { code: number }) => ({
    ...one,
    code: unpackedCode(one.code),
  }));
  return { ...result, writeErrors };
}
