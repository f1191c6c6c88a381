/**
 * Restores the roles of a backup. Missing roles are created before the load, without login, because objects and policies refer to them. The
 * swap then gives all roles the attributes, passwords, settings and memberships of the backup, in its own transaction.
 */
import pg from 'pg';
import type { RestoreNames } from '../../archive/archive.ts';
import { inTransaction } from './beside.ts';
import {
  attributesStatement,
  createRoleStatement,
  type Membership,
  membershipStatement,
  type Role,
  readRoles,
  settingStatements,
} from './roles.ts';

/** A setting of a role created by a restore: the restore's suffix. */
const markSetting = 'longshore.restore';

export interface RestoredRoles {
  roles: readonly Role[];
  /** The superuser of the service that is restored into. Its attributes and its password are not changed. */
  ownUser: string;
  /** The superuser of the service that was backed up. Under another name, it can't log in after the restore. */
  savedUser: string;
}

const name = (text: string) => pg.escapeIdentifier(text);

/** Some objects, such as event triggers, need an owner who is a superuser. */
export async function makeMissingRoles(
  client: pg.Client,
  { roles }: RestoredRoles,
  { suffix }: RestoreNames,
): Promise<void> {
  const { rows } = await client.query<{ name: string }>('SELECT rolname AS name FROM pg_roles');
  const known = new Set(rows.map((row) => row.name));
  const missing = roles.filter((role) => !known.has(role.name));
  await inTransaction(
    client,
    missing.flatMap((role) => [
      createRoleStatement(role),
      attributesStatement({ ...role, login: false, password: null }),
      `ALTER ROLE ${name(role.name)} SET ${markSetting} TO ${pg.escapeLiteral(suffix)}`,
    ]),
  );
}

/** Drops the roles that this restore has created, once its databases are removed. A role that is also used elsewhere is kept. */
export async function dropMadeRoles(client: pg.Client, { suffix }: RestoreNames): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT rolname AS name FROM pg_roles r JOIN pg_db_role_setting s ON s.setrole = r.oid AND s.setdatabase = 0
      WHERE $1 = ANY(s.setconfig)`,
    [`${markSetting}=${suffix}`],
  );
  for (const role of rows) await client.query(`DROP ROLE ${name(role.name)}`).catch(() => {});
}

/** Runs the swap's statements, and rolls them back. @throws the server's error */
export async function tryRoles(client: pg.Client, roles: RestoredRoles): Promise<void> {
  await client.query('BEGIN');
  try {
    await applyRoles(client, roles);
  } finally {
    await client.query('ROLLBACK');
  }
}

/** Runs in the caller's transaction. Roles that the backup does not have are not changed. */
export async function applyRoles(
  client: pg.Client,
  { roles, ownUser, savedUser }: RestoredRoles,
): Promise<void> {
  // The statements contain password verifiers.
  await client.query("SET LOCAL log_statement = 'none'");
  const limited = await rolesWithLimit(client);
  for (const role of roles) {
    const isSaved = role.name === savedUser && savedUser !== ownUser;
    const given = isSaved ? { ...role, login: false, password: null } : role;
    const validUntil = given.validUntil ?? (limited.has(role.name) ? 'infinity' : null);
    if (role.name !== ownUser) await client.query(attributesStatement({ ...given, validUntil }));
    for (const statement of settingStatements(role)) await client.query(statement);
  }
  // The first superuser of each server may grant every role. On this server, it has another name.
  const grantorHere = (grantor: string | null) => (grantor === savedUser ? ownUser : grantor);
  await applyMemberships(
    client,
    roles.map((role) => ({
      ...role,
      memberships: role.memberships.map((each) => ({ ...each, grantor: grantorHere(each.grantor) })),
    })),
  );
}

async function rolesWithLimit(client: pg.Client): Promise<Set<string>> {
  const { rows } = await client.query<{ name: string }>(
    'SELECT rolname AS name FROM pg_roles WHERE rolvaliduntil IS NOT NULL',
  );
  return new Set(rows.map((row) => row.name));
}

type Grant = Membership & { member: string };

const keyOf = ({ member, ...membership }: Grant) =>
  JSON.stringify([member, ...Object.entries(membership).sort(([one], [other]) => (one < other ? -1 : 1))]);

const grantsOf = (roles: readonly Role[]): Grant[] =>
  roles.flatMap(({ name: member, memberships }) => memberships.map((each) => ({ ...each, member })));

async function applyMemberships(client: pg.Client, roles: readonly Role[]): Promise<void> {
  const members = new Set(roles.map((role) => role.name));
  const wanted = new Map(grantsOf(roles).map((grant) => [keyOf(grant), grant]));
  const present = async () =>
    grantsOf((await readRoles(client)).roles).filter(({ member }) => members.has(member));
  for (const grant of await present()) {
    if (wanted.has(keyOf(grant))) continue;
    const by = grant.inherit === null || grant.grantor === null ? '' : ` GRANTED BY ${name(grant.grantor)}`;
    await client.query(`REVOKE ${name(grant.role)} FROM ${name(grant.member)}${by} CASCADE`);
  }
  for (const grant of await present()) wanted.delete(keyOf(grant));
  await grantAll(client, [...wanted.values()]);
}

/** A grant may need an earlier one, which gives its grantor the ADMIN OPTION. A grantor who may not grant on this server is left out. */
async function grantAll(client: pg.Client, grants: readonly Grant[]): Promise<void> {
  let open = grants;
  while (open.length > 0) {
    const refused: Grant[] = [];
    for (const grant of open) if (!(await granted(client, grant))) refused.push(grant);
    if (refused.length === open.length) break;
    open = refused;
  }
  for (const grant of open) await client.query(membershipStatement(grant.member, grant, false));
}

async function granted(client: pg.Client, grant: Grant): Promise<boolean> {
  await client.query('SAVEPOINT before_grant');
  try {
    await client.query(membershipStatement(grant.member, grant, true));
    return true;
  } catch {
    await client.query('ROLLBACK TO SAVEPOINT before_grant');
    return false;
  }
}
