/** Writes the SQL that `psql` runs before `pg_restore`: the roles of the server. */
import {
  attributesStatement,
  createRoleStatement,
  membershipStatement,
  type Role,
  settingStatements,
} from './roles.ts';

/** On a server where a role exists, its CREATE ROLE fails and the rest applies. */
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
