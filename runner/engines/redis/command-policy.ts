/**
 * The commands that a query may use: those on data, according to the server's own information (`COMMAND INFO`, so this includes commands of
 * modules and renamed ones). Commands that reach outside the data or change its user are refused: settings, other servers, files, modules,
 * users, clients' connections. Scripts are refused entirely: a script could send keys to any address with MIGRATE, and a loop in a script
 * blocks the server for everyone.
 */
import { EngineError } from '../engine-error.ts';
import type { RespConnection } from './resp-connection.ts';
import type { Reply } from './resp-reader.ts';

export interface AllowedCommand {
  name: string;
  /** True if the command may change data. */
  writes: boolean;
}

/** Categories: https://redis.io/docs/latest/commands/acl-cat/ */
const refusedCategories: Readonly<Record<string, string>> = {
  '@admin': 'it is about the server, not about its data',
  '@scripting': 'a script could run commands that are not allowed',
  '@pubsub': 'it waits for messages, which a query cannot return',
  '@connection': 'each query has a separate connection; give `database` to choose another logical database',
  '@transaction': 'a query is one command',
  '@dangerous': 'it reaches outside the data',
};

/** Commands of those categories that are allowed, because they concern only the data or are harmless. */
const spared = new Set(['ping', 'echo', 'info', 'keys', 'sort', 'sort_ro', 'flushdb', 'flushall']);

/** Modules use such names for commands about their settings, in any category. */
const settingsOfModules = /config|debug/;

/**
 * The positions of the fields in a command's information: https://redis.io/docs/latest/commands/command/
 * The subcommands of a container command have their own nested information.
 */
const place = { name: 0, flags: 2, categories: 6, subcommands: 9 };

/** @throws EngineError `unsupported` for a refused command; `invalid_request` for an unknown one */
export async function allowedCommand(connection: RespConnection, words: Buffer[]): Promise<AllowedCommand> {
  const shown = (words[0] ?? Buffer.alloc(0)).toString().slice(0, 64);
  const information = await connection.call(['COMMAND', 'INFO', words[0] ?? '']);
  const [found] = itemsOf(information);
  if (found === undefined || found.type === 'null') {
    throw new EngineError('invalid_request', `Redis has no command '${shown}'.`);
  }
  const name = textAt(found, place.name).toLowerCase();
  // A container command counts as its most dangerous subcommand.
  const parts = [found, ...itemsOf(itemsOf(found)[place.subcommands])];
  const categories = new Set(parts.flatMap((part) => texts(itemsOf(part)[place.categories])));
  const why = Object.entries(refusedCategories).find(([category]) => categories.has(category))?.[1];
  if (!spared.has(name) && (why !== undefined || settingsOfModules.test(name))) {
    const reason = why ?? 'it is about the server, not about its data';
    throw new EngineError('unsupported', `${name.toUpperCase()} is not available here: ${reason}.`);
  }
  return { name, writes: parts.some((part) => texts(itemsOf(part)[place.flags]).includes('write')) };
}

function itemsOf(reply: Reply | undefined): Reply[] {
  return reply?.type === 'array' || reply?.type === 'set' ? reply.items : [];
}

function textAt(reply: Reply, at: number): string {
  const item = itemsOf(reply)[at];
  return item?.type === 'string' ? item.value.toString() : '';
}

function texts(reply: Reply | undefined): string[] {
  return itemsOf(reply).map((item) => (item.type === 'string' ? item.value.toString() : ''));
}
