/** Finds comments and security labels on objects of PostgreSQL itself, such as `pg_catalog.now()`: `pg_dump` leaves those objects out. */
import type pg from 'pg';
import { listed } from './listed.ts';

/** Objects created by users have larger ids, except large objects: FirstNormalObjectId in PostgreSQL's `access/transam.h`. */
const isBuiltIn = "objoid < 16384 AND classoid <> 'pg_largeobject'::regclass";
/** `initdb` creates the database `template0` after everything else, and it is never changed later. */
const isNew =
  "d.xmin::text::bigint > (SELECT t.xmin::text::bigint FROM pg_database t WHERE t.datname = 'template0')";
const nameOf = (columns: string) =>
  `(SELECT concat_ws(' ', type, identity) FROM pg_identify_object(${columns}) WHERE identity IS NOT NULL)`;

/** Finds changed comments, which each database has separately. `pg_dump` keeps the comment of the schema `public`. */
const changed = `SELECT ${nameOf('classoid, objoid, objsubid')} AS name FROM pg_description d
  WHERE ${isBuiltIn} AND ${isNew} AND NOT (classoid = 'pg_namespace'::regclass AND objoid = 2200) ORDER BY 1`;
const removed = `SELECT ${nameOf('class, object, part')} AS name
  FROM unnest($1::oid[], $2::oid[], $3::int[]) AS k(class, object, part)
  WHERE NOT EXISTS (SELECT 1 FROM pg_description d WHERE d.classoid = class AND d.objoid = object AND d.objsubid = part) ORDER BY 1`;
const labelled = `SELECT ${nameOf('classoid, objoid, objsubid')} AS name FROM pg_seclabel WHERE ${isBuiltIn} ORDER BY 1`;
/** Comments of `initdb`, of which a copy is in each database. The schema `public` may be dropped. */
const original = `SELECT array_agg(classoid::text) AS classes, array_agg(objoid::text) AS objects, array_agg(objsubid) AS parts
  FROM pg_description d WHERE ${isBuiltIn} AND NOT (${isNew}) AND NOT (classoid = 'pg_namespace'::regclass AND objoid = 2200)`;

/** Comments of roles, tablespaces and databases, which belong to the server. */
const ofServer = `SELECT ${nameOf('classoid, objoid, 0')} AS name FROM pg_shdescription d
  WHERE ${isNew} AND ((classoid = 'pg_authid'::regclass AND objoid BETWEEN 11 AND 16383)
    OR (classoid = 'pg_database'::regclass AND objoid IN (SELECT oid FROM pg_database WHERE datname IN ('template0', 'template1'))
      AND description NOT IN ('default template for new databases', 'unmodifiable empty database'))) ORDER BY 1`;
const labelledOfServer = `SELECT ${nameOf('classoid, objoid, 0')} AS name FROM pg_shseclabel
  WHERE classoid <> 'pg_database'::regclass ORDER BY 1`;

/** The keys of the comments from `initdb`: class, object and part of each. */
export type InitialComments = readonly [classes: string[], objects: string[], parts: string[]];

/** @param client connected to `template1` @returns sentences about it and about the server, and the comments for comparing the other databases */
export async function serverNotes(client: pg.Client): Promise<{ found: string[]; initial: InitialComments }> {
  const { rows } = await client.query<Record<'classes' | 'objects' | 'parts', string[] | null>>(original);
  const { classes, objects, parts } = rows[0] ?? { classes: null, objects: null, parts: null };
  return {
    found: [
      ...sentence('comments', 'the server', await namesIn(client, ofServer)),
      ...sentence('security labels', 'the server', await namesIn(client, labelledOfServer)),
      ...sentence('comments', 'the database template1', await namesIn(client, changed)),
    ],
    initial: [classes ?? [], objects ?? [], parts ?? []],
  };
}

/** @param client connected to `database` @returns sentences */
export async function builtInNotes(
  client: pg.Client,
  database: string,
  initial: InitialComments,
): Promise<string[]> {
  const where = `the database ${database}`;
  const names = [...(await namesIn(client, changed)), ...(await namesIn(client, removed, [...initial]))];
  return [
    ...sentence('comments', where, names),
    ...sentence('security labels', where, await namesIn(client, labelled)),
  ];
}

const sentence = (what: string, where: string, names: readonly string[]) =>
  names.length === 0
    ? []
    : [`The ${what} on objects of PostgreSQL itself that were changed in ${where}: ${listed(names)}.`];

async function namesIn(client: pg.Client, query: string, values: unknown[] = []): Promise<string[]> {
  const { rows } = await client.query<{ name: string | null }>(query, values);
  return rows.flatMap(({ name }) => (name === null ? [] : [name]));
}
