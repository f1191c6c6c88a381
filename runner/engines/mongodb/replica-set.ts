/**
 * A replica set of one member, so that transactions, change streams and snapshot reads work. The member's name is stored in the data, and a
 * server that can't reach itself under that name refuses writes. So each container sets its own name after its start.
 * https://www.mongodb.com/docs/manual/tutorial/convert-standalone-to-replica-set/
 * https://www.mongodb.com/docs/manual/tutorial/change-hostnames-in-a-replica-set/
 */
import { randomBytes } from 'node:crypto';
import { type Document, type MongoClient, MongoServerError } from 'mongodb';
import { EngineError } from '../engine-error.ts';
import { commandTimeoutMs } from './client.ts';

const replicaSetName = 'rs0';
const port = 27_017;
/** The member's name in a container that only the host can reach. */
export const localMember = '127.0.0.1';
/** `mongod` reads the key as its own user, and refuses a key that others may read. */
export const keyFile = { path: '/etc/longshore-mongodb.key', user: 'mongodb' };
/**
 * The size in megabytes. MongoDB's own default is 5 % of the free disk space, up to 50 GB, but the disk belongs to the host, not to the
 * service. https://www.mongodb.com/docs/manual/core/replica-set-oplog/#oplog-size
 */
const oplogSizeMb = 990;
/** Every loaded document is also written to the oplog. */
export const oplogBytes = oplogSizeMb * 2 ** 20;
const maxTimeMS = commandTimeoutMs;

/** https://github.com/mongodb/mongo/blob/v7.0/src/mongo/base/error_codes.yml */
const notYetInitialized = 94;

/**
 * Arguments of `mongod`.
 * @param hasUsers a replica set with users needs a key for its members. Without users, mongod must not ask for passwords.
 */
export const replicaSetArguments = (hasUsers: boolean): string[] => [
  ...['--replSet', replicaSetName, '--oplogSize', String(oplogSizeMb)],
  ...(hasUsers ? ['--keyFile', keyFile.path] : []),
];

/** A new key for each container: the only member never needs to share it. mongod accepts 6 to 1024 characters of base64. */
export const newKey = () => randomBytes(512).toString('base64');

/**
 * Makes the server the only member of its set. Every step may be repeated, also after a crash. A set to which a user added members stays
 * unchanged.
 * @param host the name or address by which the server reaches itself
 * @throws EngineError `unavailable` until it accepts writes
 */
export async function becomePrimary(client: MongoClient, host: string): Promise<void> {
  const admin = client.db('admin');
  const member = `${host}:${port}`;
  const config = await configOf(client);
  if (config === undefined) {
    const members = [{ _id: 0, host: member }];
    await admin.command({ replSetInitiate: { _id: replicaSetName, members }, maxTimeMS });
  } else if (config.members.length === 1 && config.members[0].host !== member) {
    const members = [{ ...config.members[0], host: member }];
    // A member that can't reach itself under its old name is not primary, and then only a forced change is accepted.
    const force = !(await isPrimary(client));
    await admin.command({
      replSetReconfig: { ...config, version: config.version + 1, members },
      force,
      maxTimeMS,
    });
  }
  if (!(await isPrimary(client)))
    throw new EngineError('unavailable', 'The server has not become the primary of its replica set yet.');
}

/** @throws EngineError `unsupported` when a user has added members to the set */
export async function assertOnlyMember(client: MongoClient): Promise<void> {
  const config = await configOf(client);
  if (config === undefined || config.members.length === 1) return;
  const hosts = config.members.map(({ host }: { host: string }) => host).join(', ');
  throw new EngineError(
    'unsupported',
    `The replica set has ${config.members.length} members (${hosts}), and an upgrade of one would separate it from the others: remove them from the set first.`,
  );
}

/** `undefined` if the data has no replica set yet. */
async function configOf(client: MongoClient): Promise<Document | undefined> {
  try {
    return (await client.db('admin').command({ replSetGetConfig: 1, maxTimeMS })).config;
  } catch (error) {
    if (error instanceof MongoServerError && error.code === notYetInitialized) return undefined;
    throw error;
  }
}

async function isPrimary(client: MongoClient): Promise<boolean> {
  return (await client.db('admin').command({ hello: 1, maxTimeMS })).isWritablePrimary === true;
}
