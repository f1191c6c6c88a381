/**
 * Users, roles and their privileges. Like the data, they belong to the whole server, but a `mysqldump` of databases does not contain them.
 */
import { fromHex, query, type ToolPlace } from './client.ts';

const builtIn = "('root', 'mysql.sys', 'mysql.session', 'mysql.infoschema')";

/** Statements that create the accounts on a new server. Accounts that already exist keep their passwords. */
export async function accountStatements(place: ToolPlace): Promise<string> {
  const found = await query(
    place,
    `SELECT HEX(user), HEX(host) FROM mysql.user WHERE user NOT IN ${builtIn}`,
  );
  if (found.length === 0) return '';
  const names = found.map(([user = '', host = '']) => `${quoted(fromHex(user))}@${quoted(fromHex(host))}`);
  const made = await statements(
    place,
    names.map((name) => `SHOW CREATE USER ${name}`),
  );
  const granted = await statements(
    place,
    names.map((name) => `SHOW GRANTS FOR ${name}`),
  );
  const create = made.map((line) => line.replace(/^CREATE USER/, 'CREATE USER IF NOT EXISTS'));
  // A role must exist before it can be a user's default role.
  const ordered = [...create].sort(
    (one, other) => Number(/ DEFAULT ROLE /.test(one)) - Number(/ DEFAULT ROLE /.test(other)),
  );
  return [...ordered, ...granted].map((line) => `${line};\n`).join('');
}

async function statements(place: ToolPlace, asked: string[]): Promise<string[]> {
  const rows = await query(place, ['SET print_identified_with_as_hex = ON', ...asked].join('; '));
  return rows.map((columns) => columns.join('\t'));
}

const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
