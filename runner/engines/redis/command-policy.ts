/**
 * Which commands a query may give: those on data, by what the server itself says of each (`COMMAND INFO`, so modules and renamed commands
 * too). Kept out is what reaches outside the data or around its user: settings, other servers, files, modules, users, clients' connections.
 * Scripts are kept out whole: from inside one, MIGRATE sends keys to any address, and a loop stops the server for everybody.
 */
import { EngineError } from '../engine-error.ts';
import type { RespConnection } from './resp-connection.ts';
import type { Reply } from './resp-reader.ts';

export interface AllowedCommand {
  name: string;
  /** It may change data. */
  writes: boolean;
}

/** Categories: https://redis.io/docs/latest/commands/acl-cat/ */
const refusedCategories: Readonly<Record<string, string>> = {
  '@admin': 'it is about the server, not about its data',
  '@scripting': 'a script could give commands that are kept out',
  '@pubsub': 'it waits for messages, which have no place in an answer',
  '@connection': 'each query has a connection of its own; give `database` to choose another logical database',
  '@transaction': 'a query is one command',
  '@dangerous': 'it reaches outside the data',
};

/** In one of those categories, and yet a matter of the data alone: the heavy, the thorough and the harmless. */
const spared = new Set(['ping', 'echo', 'info', 'keys', 'sort', 'sort_ro', 'flushdb', 'flushall']);

/** What modules call their settings, in whatever category. */
const settingsOfModules = /config|debug/;

/**
 * What stands at these places of a command's information: https://redis.io/docs/latest/commands/command/
 * A container's subcommands have their own information, nested.
 */
const place = { name: 0, flags: 2, categories: 6, subcommands: 9 };

/** @throws EngineError `unsupported` for what is kept out; `invalid_request` for what Redis doesn't know */
export async function allowedCommand(connection: RespConnection, words: Buffer[]): Promise<AllowedCommand> {
  const shown = (words[0] ?? Buffer.alloc(0)).toString().slice(0, 64);
  const information = await connection.call(['COMMAND', 'INFO', words[0] ?? '']);
  const [found] = itemsOf(information);
  if (found === undefined || found.type === 'null') {
    throw new EngineError('invalid_request', `Redis has no command '${shown}'.`);
  }
  const name = textAt(found, place.name).toLowerCase();
  // A container goes with the most that one of its subcommands can do.
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
