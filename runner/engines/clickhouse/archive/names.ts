/**
 * The database names of a restore. They tell a restarted runner the progress of the restore. The journal is in a database with one of three
 * names: `longshore_restore_<suffix>` before the swap, `longshore_swap_<suffix>` during it, `longshore_before_<suffix>` after it. In
 * addition, each restored database is named `longshore_restore_<suffix>_<n>`, and the one that it replaced `longshore_before_<suffix>_<n>`.
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

/** Disables checks by which a dictionary or view of another database would block a rename. It finds the same name again afterwards. */
export const withoutDependencyChecks: Record<string, string> = {
  check_table_dependencies: '0',
  check_referential_table_dependencies: '0',
};

/** The names of all databases of the server. @throws EngineError */
export async function databasesOf(server: Server): Promise<Set<string>> {
  const rows = await server.ask('SELECT name FROM system.databases');
  return new Set(rows.map(([name]) => String(name)));
}

export async function renameDatabase(server: Server, from: string, to: string): Promise<void> {
  await server.ask(`RENAME DATABASE ${escapedName(from)} TO ${escapedName(to)}`, {
    settings: withoutDependencyChecks,
  });
}

/**
 * Drops what earlier attempts could not clean up because the server was down. A service runs only one restore or import at a time. The
 * loaded data of an interrupted swap is kept.
 */
export async function dropLeftOver(server: Server): Promise<void> {
  const found = await databasesOf(server);
  const suffixes = [...found].flatMap((name) => /^longshore_restore_(.+?)(?:_\d+)?$/.exec(name)?.[1] ?? []);
  for (const suffix of new Set(suffixes)) {
    const { loading, swapping } = namesOf({ suffix });
    if (!found.has(swapping)) await dropDatabases(server, loading);
  }
}

/** @param name of the journal's database, as in `Names`; the databases that belong to it are dropped first */
export async function dropDatabases(server: Server, name: string): Promise<void> {
  const all = [...(await databasesOf(server))].filter((one) => one.startsWith(`${name}_`));
  const settings = {
    ...withoutDependencyChecks,
    max_table_size_to_drop: '0',
    max_partition_size_to_drop: '0',
  };
  for (const one of [...all, name])
    await server.ask(`DROP DATABASE IF EXISTS ${escapedName(one)} SYNC`, { settings });
}
