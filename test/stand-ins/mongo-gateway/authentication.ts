/** How a connection comes to have a user: SCRAM-SHA-256 in two steps, of which a hello may carry the first. */
import { Binary } from 'bson';
import type { Command, Session } from './command.ts';
import { CommandError } from './errors.ts';
import { begin } from './scram.ts';
import type { Users } from './users.ts';

type Fields = Record<string, unknown>;

/** All users live here. */
const usersDatabase = 'admin';
const conversationId = 1;

export async function beginConversation(
  users: Users,
  session: Session,
  database: string,
  { mechanism, payload, options }: Fields,
): Promise<Fields> {
  if (mechanism !== 'SCRAM-SHA-256')
    throw new CommandError(334, 'MechanismUnavailable', 'The only mechanism is SCRAM-SHA-256');
  if (database !== usersDatabase) throw failed();
  const conversation = await begin(textOf(payload), (user) => users.find(user)).catch(() => {
    throw failed();
  });
  const skipsEmptyExchange = fieldsOf(options)?.skipEmptyExchange === true;
  session.conversation = { ...conversation, skipsEmptyExchange, isVerified: false };
  return { conversationId, done: false, payload: binaryOf(conversation.serverFirst) };
}

/** @throws CommandError `AuthenticationFailed`, which does not say why */
export function continueConversation({ session, field }: Command): Fields {
  const { conversation } = session;
  if (conversation?.isVerified) return concluded(session, conversation.user, '');
  session.conversation = undefined;
  const serverFinal = conversation?.finish(textOf(field('payload')));
  if (!conversation || serverFinal === undefined) throw failed();
  if (conversation.skipsEmptyExchange) return concluded(session, conversation.user, serverFinal);
  session.conversation = { ...conversation, isVerified: true };
  return { conversationId, done: false, payload: binaryOf(serverFinal) };
}

/**
 * What a hello says of users, when it asks. A conversation that can't begin there is begun again, and refused then:
 * https://github.com/mongodb/specifications/blob/master/source/auth/auth.md#speculative-authentication
 */
export async function speculated(users: Users, { session, field, database }: Command): Promise<Fields> {
  const asked = fieldsOf(field('speculativeAuthenticate'));
  const begun =
    asked &&
    (await beginConversation(users, session, String(asked.db ?? database), asked).catch(() => undefined));
  return {
    ...(field('saslSupportedMechs') !== undefined && { saslSupportedMechs: ['SCRAM-SHA-256'] }),
    ...(begun && { speculativeAuthenticate: { ...begun, ok: 1 } }),
  };
}

function concluded(session: Session, user: string, text: string): Fields {
  session.conversation = undefined;
  session.user = user;
  return { conversationId, done: true, payload: binaryOf(text) };
}

const failed = () => new CommandError(18, 'AuthenticationFailed', 'Authentication failed.');
const binaryOf = (text: string) => new Binary(Buffer.from(text));
const textOf = (payload: unknown) => (payload instanceof Binary ? payload.toString('utf8') : '');
const fieldsOf = (value: unknown) =>
  typeof value === 'object' && value !== null ? (value as Fields) : undefined;
