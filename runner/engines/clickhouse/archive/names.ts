/**
 * The names of a restore, by which a restarted runner knows how far it came. Three stand for the whole of it, and hold its journal:
 * `longshore_restore_<suffix>` until the exchange, `longshore_swap_<suffix>` during it, `longshore_before_<suffix>` after it. Beside them
 * each restored database has `longshore_restore_<suffix>_<n>`, and the one whose place it took `longshore_before_<suffix>_<n>`.
 */
import type { RestoreNames } from '../../archive/archive.ts';
import { escapedName } from '../bound-value.ts';
import type { Server } from './server.ts';

export const namesOf = ({ suffix }: RestoreNames) => ({
  loading: `longshore_restore_${suffix}`,
  swapping: `longshore_swap_${suffix}`,
  swapped: `longshore_before_${suffix}`,
});
export type Names = ReturnType<typeof namesOf>;

export const freshName = ({ loading }: Names, n: number) => `${loading}_${n}`;
export const oldName = ({ swapped }: Names, n: number) => `${swapped}_${n}`;

/** A dictionary or a view of another database does not hold a rename up: it finds the same name again. */
export const unhindered: Record<string, string> = {
  check_table_dependencies: '0',
  check_referential_table_dependencies: '0',
};

export async function databasesOf(server: Server): Promise<Set<string>> {
  const rows = await server.ask('SELECT name FROM system.databases');
  return new Set(rows.map(([name]) => String(name)));
}

export async function renameDatabase(server: Server, from: string, to: string): Promise<void> {
  await server.ask(`RENAME DATABASE ${escapedName(from)} TO ${escapedName(to)}`, { settings: unhindered });
}

/**
 * What attempts left that found the server gone when they cleared away: of one service one restore or import is at work at a time. An
 * exchange that broke off keeps what it was to bring.
 */
export async function dropLeftOver(server: Server): Promise<void> {
  const found = await databasesOf(server);
  const suffixes = [...found].flatMap((name) => /^longshore_restore_(.+?)(?:_\d+)?$/.exec(name)?.[1] ?? []);
  for (const suffix of new Set(suffixes)) {
    const { loading, swapping } = namesOf({ suffix });
    if (!found.has(swapping)) await dropDatabases(server, loading);
  }
}

/** @param name of the whole, as in `Names`: those of its databases go with it, and before it */
export async function dropDatabases(server: Server, name: string): Promise<void> {
  const all = [...(await databasesOf(server))].filter((one) => one.startsWith(`${name}_`));
  const settings = { ...unhindered, max_table_size_to_drop: '0', max_partition_size_to_drop: '0' };
  for (const one of [...all, name])
    await server.ask(`DROP DATABASE IF EXISTS ${escapedName(one)} SYNC`, { settings });
}
