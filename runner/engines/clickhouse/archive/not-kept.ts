/** Lists parts of the server that the backup's file does not contain. */
import { EngineError } from '../../engine-error.ts';
import { keysNeedOthers, needsOthersFirst, runsWhenMade } from './make.ts';
import type { Manifest, SavedObject } from './manifest.ts';
import type { Server } from './server.ts';

/**
 * Each query finds the names of objects that a backup does not contain. Users and the like from `users_xml` are skipped: they are in the
 * image.
 */
const elsewhere: [what: string, query: string][] = [
  ['users', "SELECT name FROM system.users WHERE storage != 'users_xml' ORDER BY name"],
  ['roles', "SELECT name FROM system.roles WHERE storage != 'users_xml' ORDER BY name"],
  ['row policies', 'SELECT name FROM system.row_policies ORDER BY name'],
  ['quotas', "SELECT name FROM system.quotas WHERE storage != 'users_xml' ORDER BY name"],
  [
    'settings profiles',
    "SELECT name FROM system.settings_profiles WHERE storage != 'users_xml' ORDER BY name",
  ],
  ['named collections', 'SELECT name FROM system.named_collections ORDER BY name'],
  ['workloads', 'SELECT name FROM system.workloads ORDER BY name'],
  ['resources', 'SELECT name FROM system.resources ORDER BY name'],
  [
    'detached parts',
    "SELECT DISTINCT concat(database, '.', table) FROM system.detached_parts WHERE NOT startsWith(database, 'longshore_') ORDER BY 1",
  ],
];
/** Objects that their statement alone does not restore completely. */
const incomplete: [isMeant: (object: SavedObject) => boolean, sentence: (names: string) => string][] = [
  [
    ({ statement }) => runsWhenMade(statement),
    (names) =>
      `Refreshable views that keep their own rows run once more when they are restored, so they may have other rows afterwards: ${names}.`,
  ],
  [
    needsOthersFirst,
    (names) =>
      `A restore of this backup fails on a server without the dictionaries and Join tables that defaults of ${names} use: create them there first, or change the engine of these tables to MergeTree.`,
  ],
  [
    keysNeedOthers,
    (names) =>
      `A restore of this backup fails on a server without the dictionaries and Join tables that a TTL, a projection, an index or a constraint of ${names} reads: create them there first, or remove these parts of the tables.`,
  ],
  [
    ({ engine }) => engine === 'Set' || engine === 'File',
    (names) => `Not in the backup: the rows of ${names}, whose engine can't be read back.`,
  ],
];
/** Parts of the databases that no statement of an object has. */
const own = `database NOT IN ('system', 'information_schema', 'INFORMATION_SCHEMA') AND NOT startsWith(database, 'longshore_')`;
const unsaved: [query: string, sentence: (names: string) => string][] = [
  [
    `SELECT concat(database, '.', name) FROM system.tables WHERE engine = 'Buffer' AND total_bytes > 0 AND ${own} ORDER BY 1`,
    (names) =>
      `Not in the backup: rows that are still in the memory of ${names}. OPTIMIZE TABLE writes them to their tables.`,
  ],
  [
    `SELECT DISTINCT concat(database, '.', table) FROM system.mutations WHERE NOT is_done AND ${own} ORDER BY 1`,
    (names) =>
      `Not in the backup: mutations of ${names} that have not ended. Send them again after a restore.`,
  ],
  [
    `SELECT concat(database, '.', table) FROM system.detached_tables
      WHERE database IN (SELECT name FROM system.databases WHERE engine = 'Atomic') AND ${own} ORDER BY 1`,
    (names) => `Not in the backup: the detached tables ${names}. ATTACH TABLE brings them back.`,
  ],
  [
    `SELECT name AS database FROM system.databases WHERE comment <> '' AND ${own} ORDER BY 1`,
    (names) => `Not in the backup: the comments of the databases ${names}.`,
  ],
  [
    `SELECT name AS database FROM system.databases WHERE engine = 'Atomic' AND ${own}
      AND name NOT IN (SELECT database FROM system.tables) ORDER BY 1`,
    (names) => `Not in the backup: the databases ${names}, which are empty.`,
  ],
];
/** The rest of a longer list is only counted. */
const namesMax = 5;

/** @returns sentences; parts that the user may not list or that this version of the server does not have are skipped */
export async function notKept(server: Server, { objects }: Manifest): Promise<string[]> {
  const found: string[] = [];
  for (const [what, query] of elsewhere) {
    const names = await namesIn(server, query);
    const where = what === 'detached parts' ? `${what} of` : what;
    if (names.length > 0)
      found.push(
        `Not in the backup: ${where} ${listed(names)}. A restore into this server leaves them as they are.`,
      );
  }
  for (const [query, sentence] of unsaved) {
    const names = await namesIn(server, query);
    if (names.length > 0) found.push(sentence(listed(names)));
  }
  for (const [isMeant, sentence] of incomplete) {
    const names = objects.filter(isMeant).map(fullName);
    if (names.length > 0) found.push(sentence(listed(names)));
  }
  // The server replaces passwords with this text.
  const hidden = objects.filter(({ statement }) => statement.includes('[HIDDEN]'));
  if (hidden.length > 0)
    found.push(
      `Not in the backup: the passwords in the statements of ${listed(hidden.map(fullName))}. Set them again after a restore, or deploy this service once: its next backup contains them.`,
    );
  return found;
}

const fullName = ({ database, name }: SavedObject) => `${database}.${name}`;

async function namesIn(server: Server, query: string): Promise<string[]> {
  const rows = await server.ask(query).catch((error: unknown) => {
    if (
      error instanceof EngineError &&
      /ACCESS_DENIED|UNKNOWN_TABLE|UNKNOWN_IDENTIFIER|NOT_IMPLEMENTED/.test(error.message)
    )
      return [];
    throw error;
  });
  return rows.map(([name]) => String(name));
}

const listed = (names: string[]) =>
  names.length > namesMax
    ? `${names.slice(0, namesMax).join(', ')} and ${names.length - namesMax} more`
    : names.join(', ');
