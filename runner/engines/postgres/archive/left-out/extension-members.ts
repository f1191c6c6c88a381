/**
 * Finds changes in extensions. A restore creates each extension again, with the objects from its script. So a backup contains neither
 * objects added by `ALTER EXTENSION ... ADD`, nor changes of an extension's objects.
 */
import pg from 'pg';
import { crashPoint } from '../../../../base/crash-point.ts';
import type { DataPlace } from '../../../archive/archive.ts';
import { withMaintenance } from '../beside.ts';
import { listed } from './listed.ts';

/** The limit of a session in `template1`: `CREATE DATABASE` of others waits for 5 s, and then fails. */
const limitMs = 3_000;

export interface ExtensionMembers {
  name: string;
  version: string;
  schema: string;
  members: Member[];
}

interface Member {
  object: string;
  /** A hash of its comment, body and columns; `null` for objects of PostgreSQL itself. */
  text: string | null;
  /** True if it became a member in another transaction than `CREATE EXTENSION` or the last `ALTER EXTENSION ... UPDATE`. */
  isLater: boolean;
}

const membersQuery = `SELECT extname AS name, extversion AS version, nspname AS schema,
    (SELECT coalesce(jsonb_agg(jsonb_build_object('object', concat_ws(' ', i.type, i.identity), 'isLater', d.xmin <> e.xmin,
      'text', CASE WHEN d.objid >= 16384 THEN md5(concat_ws(chr(1), obj_description(d.objid, d.classid::regclass::text::name),
        (SELECT concat_ws(chr(1), prosrc, probin, proconfig::text, provolatile, proisstrict, prosecdef, procost, prorows, proparallel)
          FROM pg_proc WHERE d.classid = 'pg_proc'::regclass AND oid = d.objid),
        (SELECT string_agg(concat_ws(' ', attname, format_type(atttypid, atttypmod)), ',' ORDER BY attnum) FROM pg_attribute
          WHERE d.classid = 'pg_class'::regclass AND attrelid = d.objid AND attnum > 0 AND NOT attisdropped))) END)), '[]')
      FROM pg_depend d, LATERAL pg_identify_object(d.classid, d.objid, d.objsubid) i
      WHERE d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e' AND i.identity IS NOT NULL) AS members
  FROM pg_extension e JOIN pg_namespace n ON n.oid = extnamespace ORDER BY e.oid`;

/** The extensions of the client's current database, in the order of their creation. */
export const membersIn = async (client: pg.Client): Promise<ExtensionMembers[]> =>
  (await client.query<ExtensionMembers>(membersQuery)).rows;

const isSame = (one: ExtensionMembers, other: ExtensionMembers) =>
  one.name === other.name && one.version === other.version && one.schema === other.schema;

/**
 * The extensions in the form of a restore. Those that `template1` lacks are created there, in a transaction that is rolled back. An
 * extension that can't be created is missing.
 * @param present those of `template1`
 */
export async function madeAgain(
  place: DataPlace,
  wanted: readonly ExtensionMembers[],
  present: ExtensionMembers[],
): Promise<ExtensionMembers[]> {
  // A library such as TimescaleDB's can't be loaded in two versions, so existing ones are not replaced.
  const missing = wanted.filter(({ name }) => !present.some((other) => other.name === name));
  if (missing.length === 0) return present;
  return withMaintenance(place, async (client) => {
    const until = Date.now() + limitMs;
    await client.query('BEGIN');
    try {
      await client.query(
        "SELECT set_config('event_triggers', 'off', true) FROM pg_settings WHERE name = 'event_triggers'",
      );
      for (const extension of missing) {
        await client.query('SAVEPOINT one');
        await client.query(`SET LOCAL statement_timeout = ${Math.max(1, until - Date.now())}`);
        await create(client, extension).catch(() => client.query('ROLLBACK TO one'));
      }
      await client.query('SET LOCAL statement_timeout = 0');
      crashPoint('dump:searched');
      return await membersIn(client);
    } finally {
      await client.query('ROLLBACK');
    }
  });
}

async function create(client: pg.Client, { name, version, schema }: ExtensionMembers): Promise<void> {
  const [extension, into] = [pg.escapeIdentifier(name), pg.escapeIdentifier(schema)];
  if (schema !== 'pg_catalog') await client.query(`CREATE SCHEMA IF NOT EXISTS ${into}`);
  await client.query(`CREATE EXTENSION ${extension} SCHEMA ${into} VERSION ${pg.escapeLiteral(version)}`);
}

/** @param made the result of `madeAgain` @returns sentences about changes in the extensions of a database */
export const changedMembers = (
  database: string,
  extensions: readonly ExtensionMembers[],
  made: readonly ExtensionMembers[],
): string[] =>
  extensions.flatMap((here) =>
    differences(
      here,
      made.find((each) => isSame(each, here)),
      database,
    ),
  );

function differences(here: ExtensionMembers, made: ExtensionMembers | undefined, database: string): string[] {
  const of = `the extension ${here.name} in the database ${database}`;
  const say = (objects: readonly string[], sentence: (names: string) => string) =>
    objects.length === 0 ? [] : [sentence(listed([...objects].sort()))];
  if (!made)
    return say(
      here.members.filter(({ isLater }) => isLater).map(({ object }) => object),
      (names) =>
        `It is not known whether these objects were added to ${of} by ALTER EXTENSION, or by an update of it: ${names}. Added ones are left out.`,
    );
  const before = new Map(made.members.map(({ object, text }) => [object, text]));
  const now = new Set(here.members.map(({ object }) => object));
  return [
    ...say(
      here.members.filter(({ object }) => !before.has(object)).map(({ object }) => object),
      (names) =>
        `Objects that were added to ${of}, or renamed in it: ${names}. Take them out with ALTER EXTENSION ... DROP to have them in the next backup.`,
    ),
    ...say(
      [...before.keys()].filter((object) => !now.has(object)),
      (names) =>
        `A restore makes these objects again, which were taken out of ${of}: ${names}. If they still exist outside of it, a restore of this backup fails: add them again with ALTER EXTENSION ... ADD, or drop them.`,
    ),
    ...say(
      here.members
        .filter(({ object, text }) => text !== null && (before.get(object) ?? text) !== text)
        .map(({ object }) => object),
      (names) => `Changes of the objects of ${of} (their text, columns or comments): ${names}.`,
    ),
  ];
}
