/** The roles of a server: attributes, password verifiers, settings, memberships and comments, and grants on parameters. */
import pg from 'pg';
import { z } from 'zod';
import { listOf } from '../../archive/description.ts';
import { setClause } from './setting.ts';

const membershipSchema = z.object({
  role: z.string(),
  grantor: z.string().nullable(),
  admin: z.boolean(),
  /** `null` before PostgreSQL 16. */
  inherit: z.boolean().nullable(),
  set: z.boolean().nullable(),
});

export const roleSchema = z.object({
  name: z.string(),
  superuser: z.boolean(),
  inherit: z.boolean(),
  createRole: z.boolean(),
  createDatabase: z.boolean(),
  login: z.boolean(),
  replication: z.boolean(),
  bypassRls: z.boolean(),
  connectionLimit: z.int(),
  validUntil: z.string().nullable(),
  /** A SCRAM verifier, from which the password can't be read. */
  password: z.string().startsWith('SCRAM-SHA-256$').nullable(),
  settings: listOf(z.string()),
  comment: z.string().nullable(),
  memberships: listOf(membershipSchema),
});
export type Role = z.infer<typeof roleSchema>;
export type Membership = z.infer<typeof membershipSchema>;

export interface ReadRoles {
  roles: Role[];
  /** Roles whose password is left out, because it is an MD5 hash: with such a hash, anyone can log in. */
  withoutPassword: string[];
}

/** All roles except those of PostgreSQL itself. */
export async function readRoles(client: pg.Client): Promise<ReadRoles> {
  const { rows } = await client.query<{ role: { password: string | null; name: string } }>(rolesQuery);
  const withoutPassword: string[] = [];
  const roles = rows.map(({ role }) => {
    const isSealed = role.password === null || role.password.startsWith('SCRAM-SHA-256$');
    if (!isSealed) withoutPassword.push(role.name);
    return roleSchema.parse(isSealed ? role : { ...role, password: null });
  });
  return { roles, withoutPassword };
}

/** Columns that only some versions have are read through jsonb. */
const rolesQuery = `SELECT jsonb_build_object(
    'name', rolname, 'superuser', rolsuper, 'inherit', rolinherit, 'createRole', rolcreaterole, 'createDatabase', rolcreatedb,
    'login', rolcanlogin, 'replication', rolreplication, 'bypassRls', rolbypassrls, 'connectionLimit', rolconnlimit,
    'validUntil', rolvaliduntil::text, 'password', rolpassword, 'comment', shobj_description(a.oid, 'pg_authid'),
    'settings', coalesce((SELECT to_jsonb(setconfig) FROM pg_db_role_setting WHERE setdatabase = 0 AND setrole = a.oid), '[]'),
    'memberships', coalesce((SELECT jsonb_agg(jsonb_build_object('role', pg_get_userbyid(m.roleid), 'admin', m.admin_option,
        'grantor', (SELECT rolname FROM pg_roles WHERE oid = m.grantor),
        'inherit', to_jsonb(m) -> 'inherit_option', 'set', to_jsonb(m) -> 'set_option') ORDER BY m.grantor, m.roleid)
      FROM pg_auth_members m WHERE m.member = a.oid), '[]')) AS role
  FROM pg_authid a WHERE rolname !~ '^pg_' ORDER BY rolname`;

const name = (text: string) => pg.escapeIdentifier(text);
const text = (value: string) => pg.escapeLiteral(value);

export const createRoleStatement = (role: Pick<Role, 'name'>) => `CREATE ROLE ${name(role.name)}`;

/** Attributes, and the password if it is known. */
export function attributesStatement(role: Role): string {
  const flags: [boolean, string][] = [
    ...([
      [role.superuser, 'SUPERUSER'],
      [role.inherit, 'INHERIT'],
      [role.createRole, 'CREATEROLE'],
    ] as const),
    ...([
      [role.createDatabase, 'CREATEDB'],
      [role.login, 'LOGIN'],
      [role.replication, 'REPLICATION'],
    ] as const),
    [role.bypassRls, 'BYPASSRLS'],
  ].map(([isOn, word]) => [Boolean(isOn), String(word)]);
  const words = flags.map(([isOn, word]) => (isOn ? word : `NO${word}`)).join(' ');
  const until = role.validUntil === null ? 'infinity' : role.validUntil;
  const password = role.password === null ? '' : ` PASSWORD ${text(role.password)}`;
  const valid = role.validUntil === null ? '' : ` VALID UNTIL ${text(until)}`;
  return `ALTER ROLE ${name(role.name)} WITH ${words} CONNECTION LIMIT ${role.connectionLimit}${valid}${password}`;
}

export const settingStatements = (role: Role) => [
  `ALTER ROLE ${name(role.name)} RESET ALL`,
  ...role.settings.map((setting) => `ALTER ROLE ${name(role.name)} ${setClause(setting)}`),
  `COMMENT ON ROLE ${name(role.name)} IS ${role.comment === null ? 'NULL' : text(role.comment)}`,
];

/** @param withGrantor keeps the grantor; PostgreSQL 16 and newer refuse a grantor who may not grant the role */
export function membershipStatement(
  member: string,
  { role, grantor, admin, inherit, set }: Membership,
  withGrantor: boolean,
): string {
  const options = [
    ...(admin ? ['ADMIN OPTION'] : []),
    ...(inherit === null ? [] : [`INHERIT ${inherit}`]),
    ...(set === null ? [] : [`SET ${set}`]),
  ];
  // PostgreSQL before version 16 has only ADMIN OPTION; from then on, options are a list.
  const list = inherit === null ? options : options.map((each) => each.replace('ADMIN OPTION', 'ADMIN true'));
  const by = withGrantor && grantor !== null ? ` GRANTED BY ${name(grantor)}` : '';
  return `GRANT ${name(role)} TO ${name(member)}${list.length > 0 ? ` WITH ${list.join(', ')}` : ''}${by}`;
}

/**
 * Writes the SQL that `psql` runs before `pg_restore`: the roles of the server.
 * On a server where a role exists, its CREATE ROLE fails and the rest applies.
 */
export function globalsText(roles: readonly Role[]): string {
  const statements = [
    ...roles.map(createRoleStatement),
    ...roles.flatMap((role) => [attributesStatement(role), ...settingStatements(role)]),
    ...roles.flatMap(({ name, memberships }) =>
      memberships.map((membership) => membershipStatement(name, membership, false)),
    ),
  ];
  return statements.map((statement) => `${statement};\n`).join('');
}
