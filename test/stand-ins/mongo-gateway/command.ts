/** A command as a client sends it: its first field names it, and what belongs to the message stands beside its arguments. */

import { CommandError } from './errors.ts';
import { fieldOf, namesOf, without } from './raw-document.ts';
import type { Conversation } from './scram.ts';
import type { CallOptions } from './store.ts';

/** What is known of a connection. */
export interface Session {
  id: number;
  /** Aborted when the client is gone. */
  signal: AbortSignal;
  /** Who has proved to be who; undefined: nobody yet. */
  user: string | undefined;
  conversation: (Conversation & { skipsEmptyExchange: boolean; isVerified: boolean }) | undefined;
}

export interface Command {
  name: string;
  database: string;
  /** The command's own fields, as bytes. */
  spec: Buffer;
  /** A top-level field's value; undefined when there is none. */
  field(name: string): unknown;
  options: CallOptions;
  session: Session;
}

/** Fields of every command, which DocumentDB does not know or the gateway sees to. */
const envelope = new Set([
  '$db',
  '$clusterTime',
  '$readPreference',
  'lsid',
  'txnNumber',
  'autocommit',
  'startTransaction',
  'readConcern',
  'writeConcern',
  'apiVersion',
  'comment',
  'maxTimeMS',
]);

/** @throws CommandError when the document is no command */
export function parseCommand(message: Buffer, session: Session): Command {
  const [name] = namesOf(message);
  if (name === undefined) throw new CommandError(9, 'FailedToParse', 'A command has a name');
  const field = (wanted: string) => fieldOf(message, wanted);
  const timeoutMs = Number(field('maxTimeMS') ?? 0);
  if (!Number.isInteger(timeoutMs) || timeoutMs < 0 || timeoutMs > 2 ** 31 - 1)
    throw new CommandError(2, 'BadValue', 'maxTimeMS is a whole number of milliseconds');
  return {
    name,
    // The old form of hello has none.
    database: String(field('$db') ?? 'admin'),
    spec: without(message, (one) => envelope.has(one)),
    field,
    options: { signal: session.signal, timeoutMs },
    session,
  };
}
