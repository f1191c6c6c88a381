/**
 * Refuses to back up a table if its user sees only some of its rows. https://clickhouse.com/docs/sql-reference/statements/create/row-policy
 */
import { EngineError } from '../../engine-error.ts';
import type { SavedTable } from './manifest.ts';
import { qualified, quoted, type Server } from './server.ts';

/** Merges may remove rows between the two counts, but hardly at every try. */
const tries = 5;

/** @throws EngineError that names the policy and how to solve the problem */
export async function refuseRowPolicies(server: Server, tables: SavedTable[]): Promise<void> {
  const policies = await policiesOfUser(server);
  for (const { database, name } of tables) {
    const own = policies.filter((one) => one.database === database && ['', name].includes(one.table));
    const permissive = own.filter(({ isRestrictive }) => !isRestrictive);
    // Permissive policies are combined with OR, restrictive ones with AND.
    const hiding = permissive.some(showsAll) ? own.filter(({ isRestrictive }) => isRestrictive) : own;
    const found = hiding.find((one) => !showsAll(one));
    if (!found) continue;
    const { policy, table, user } = found;
    const target = `${policy} ON ${qualified(database, table || '*').replace('`*`', '*')}`;
    throw hidden(
      `The row policy ${target} applies to the user ${user}`,
      `exempt this user (ALTER ROW POLICY ${target} TO ALL EXCEPT ${user})`,
    );
  }
}

/**
 * Compares the rows that the user can count with those that the server stores: a user may lack the right to list policies.
 * @throws EngineError if rows are hidden
 */
export async function refuseHiddenRows(server: Server, { database, name }: SavedTable): Promise<void> {
  let stored = 0;
  let seen = 0;
  for (let tried = 0; tried < tries; tried++) {
    // `total_rows` also counts the parts of a lightweight UPDATE, which contain changed rows once more until a merge.
    const [[total, patches] = []] = await server.ask(
      `SELECT total_rows, (SELECT sum(rows) FROM system.parts WHERE active AND startsWith(name, 'patch-')
        AND database = ${quoted(database)} AND table = ${quoted(name)})
        FROM system.tables WHERE database = ${quoted(database)} AND name = ${quoted(name)}`,
    );
    if (total === null || total === undefined) return; // this table engine stores no count
    stored = Number(total) - Number(patches);
    const [[count] = []] = await server.ask(`SELECT count() FROM ${qualified(database, name)}`, {
      settings: { apply_deleted_mask: 0 },
    });
    seen = Number(count);
    if (seen >= stored) return;
  }
  throw hidden(
    `${database}.${name} has ${stored} rows, and the user of CLICKHOUSE_USER sees ${seen}`,
    'look for a row policy on it',
  );
}

interface Policy {
  database: string;
  /** Empty: all tables of the database. */
  table: string;
  policy: string;
  isRestrictive: boolean;
  filter: string;
  user: string;
}

/** Empty if the user may not list policies. */
async function policiesOfUser(server: Server): Promise<Policy[]> {
  const self = 'arrayConcat([currentUser()], enabledRoles())';
  const rows = await server
    .ask(
      `SELECT database, table, short_name, is_restrictive, select_filter, currentUser() FROM system.row_policies
        WHERE (apply_to_all AND NOT hasAny(apply_to_except, ${self})) OR hasAny(apply_to_list, ${self})`,
    )
    .catch((error: unknown) => {
      if (error instanceof EngineError && /ACCESS_DENIED/.test(error.message)) return [];
      throw error;
    });
  return rows.map(([database, table, policy, isRestrictive, filter, user]) => ({
    database: String(database),
    table: String(table),
    policy: String(policy),
    isRestrictive: Boolean(Number(isRestrictive)),
    filter: String(filter ?? '1'),
    user: String(user),
  }));
}

const showsAll = ({ filter }: Policy) => /^\(*(?:1|true)\)*$/i.test(filter);

const hidden = (what: string, wayOut: string) =>
  new EngineError(
    'unsupported',
    `${what}, so a backup would lack rows: ${wayOut}, and take the backup again.`,
  );
