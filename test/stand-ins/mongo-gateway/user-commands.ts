/**
 * Users as commands show them: the collection `admin.system.users` is a picture of the gateway's table, and users come into it by
 * `createUser` and by the command that `mongorestore` has. Every one is root, so other roles are refused.
 */
import { deserialize, serialize } from 'bson';
import type { Command } from './command.ts';
import { CommandError } from './errors.ts';
import type { Credentials } from './scram.ts';
import type { Store } from './store.ts';
import type { Users } from './users.ts';

type Fields = Record<string, unknown>;
type Handlers = Readonly<Record<string, (command: Command) => Promise<Fields>>>;

const collection = 'system.users';
const mechanism = 'SCRAM-SHA-256';
const idIndex = { v: 2, key: { _id: 1 }, name: '_id_' };

/** Commands about users, wherever they are run. */
export const userCommands = (store: Store, users: Users): Handlers => ({
  createUser: async ({ field }) => {
    const name = String(field('createUser'));
    refuseOtherRoles(field('roles'));
    if (await users.create(name, String(field('pwd')))) return {};
    throw new CommandError(51_003, 'Location51003', `User "${name}@admin" already exists`);
  },
  dropUser: async ({ field }) => {
    const name = String(field('dropUser'));
    if (await users.remove(name)) return {};
    throw new CommandError(11, 'UserNotFound', `User '${name}@admin' not found`);
  },
  _mergeAuthzCollections: async ({ field, options }) => {
    if (field('tempRolesCollection') !== undefined || field('drop') !== false)
      throw new CommandError(115, 'CommandNotSupported', 'Users alone are merged, and none is dropped');
    const from = String(field('tempUsersCollection')).replace(/^admin\./, '');
    const find = Buffer.from(serialize({ find: from, batchSize: 1_000 }));
    const page = await store.open('find_cursor_first_page', 'admin', find, options);
    for (const { user, credentials } of deserialize(page).cursor.firstBatch)
      await users.add(String(user), readCredentials(credentials[mechanism]));
    return {};
  },
});

/** Commands that name the collection itself. */
export const ofUserCollection = (users: Users): Handlers => ({
  find: async ({ field }) => {
    const documents = (await users.all()).map(({ name, ...credentials }) => userDocument(name, credentials));
    return cursorOf(documents.filter(({ _id }) => isFound(_id, field('filter'))));
  },
  listIndexes: async () => cursorOf([idIndex]),
});

export const isOfUserCollection = ({ name, database, field }: Command): boolean =>
  database === 'admin' && field(name) === collection;

/** The list of collections in `admin` names that one too. */
export async function withUserCollection(page: Buffer, users: Users): Promise<Fields | Buffer> {
  if (!(await users.exist())) return page;
  const listed = deserialize(page, { promoteValues: false });
  listed.cursor.firstBatch.push({
    ...{ name: collection, type: 'collection', options: {}, info: { readOnly: false }, idIndex },
  });
  return listed;
}

/** The list of databases names `admin` for the sake of its users. */
export async function withUserDatabase(list: Buffer, users: Users): Promise<Fields | Buffer> {
  const listed = deserialize(list, { promoteValues: false });
  const isListed = listed.databases.some(({ name }: { name: unknown }) => name === 'admin');
  if (isListed || !(await users.exist())) return list;
  listed.databases.unshift({ name: 'admin', sizeOnDisk: 0, empty: false });
  return listed;
}

const cursorOf = (firstBatch: object[]) => ({
  cursor: { id: 0n, ns: `admin.${collection}`, firstBatch },
});

function isFound(id: string, filter: unknown): boolean {
  const wanted = (filter as Fields | undefined)?._id;
  if (wanted === undefined) return true;
  if (typeof wanted === 'string') return id === wanted;
  const { $ne: other } = wanted as Fields;
  if (typeof other === 'string') return id !== other;
  throw new CommandError(2, 'BadValue', 'Users are found by _id: a value, or $ne');
}

const userDocument = (name: string, { salt, iterations, storedKey, serverKey }: Credentials) => ({
  _id: `admin.${name}`,
  user: name,
  db: 'admin',
  credentials: {
    [mechanism]: {
      iterationCount: iterations,
      salt: salt.toString('base64'),
      storedKey: storedKey.toString('base64'),
      serverKey: serverKey.toString('base64'),
    },
  },
  roles: [{ role: 'root', db: 'admin' }],
});

function readCredentials(read: Fields): Credentials {
  const [salt, storedKey, serverKey] = [read.salt, read.storedKey, read.serverKey].map((text) =>
    Buffer.from(String(text), 'base64'),
  ) as [Buffer, Buffer, Buffer];
  return { iterations: Number(read.iterationCount), salt, storedKey, serverKey };
}

function refuseOtherRoles(roles: unknown): void {
  const names = [roles].flat().map((role) => (typeof role === 'string' ? role : (role as Fields)?.role));
  if (names.length === 1 && names[0] === 'root') return;
  throw new CommandError(31, 'RoleNotFound', 'The only role is root');
}
