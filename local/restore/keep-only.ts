/** The rows of one service, project or host, to be added to a database that has lost them. Existing rows are not changed. */
import type { DatabaseSync } from 'node:sqlite';
import { StartError } from '../start-error.ts';
import type { Manifest } from './read-dump.ts';
import { dropUndone, quoted, removeOrphans } from './rebuild.ts';
import { insertsOf, parentsFirst } from './sql-statements.ts';

/** Tables whose records mention a service but are not part of it. */
const notOurs = ['events', 'deletions', 'deleted_rows', 'uploads', 'audit_log', 'host_tasks'];

/** @throws StartError `restore` if the dump does not have it */
export function* keepOnly(manifest: Manifest, database: DatabaseSync, id: string): Generator<string> {
  // An open job must not run again, so its subject is removed with it. A safety copy that the job had completed stays.
  database.exec(`DELETE FROM jobs WHERE state IN ('queued', 'active')`);
  database.exec(
    `UPDATE backups SET job_id = NULL WHERE status = 'succeeded' AND job_id NOT IN (SELECT id FROM jobs)`,
  );
  removeOrphans(database, () => {});
  const services = `SELECT id FROM services WHERE id = ${text(id)} OR project_id = ${text(id)}`;
  const projects = `SELECT project_id FROM services WHERE id = ${text(id)} UNION SELECT ${text(id)}`;
  const ids = database.prepare(services).all();
  if (ids.length > 0) yield cancelRemovals(ids.map((row) => String(row.id)));
  let found = 0;
  for (const table of parentsFirst(database, manifest.schema)) {
    if (notOurs.includes(table)) continue;
    const columns = database.prepare(`SELECT name FROM pragma_table_info(?)`).all(table);
    const has = (name: string) => columns.some((column) => column.name === name);
    const conditions = [
      ...(has('id') ? [`id = ${text(id)}`] : []),
      ...(has('service_id') ? [`service_id IN (${services})`] : []),
      ...(table === 'services' ? [`id IN (${services})`] : []),
      ...(table === 'projects' ? [`id IN (${projects})`] : []),
    ];
    if (conditions.length === 0) continue;
    for (const statement of insertsOf(database, table, {
      verb: 'INSERT OR IGNORE',
      where: conditions.join(' OR '),
    })) {
      found += 1;
      yield statement;
    }
  }
  // The purge of a deletion would remove the data of a restored service.
  if (found > 0) yield* dropUndone;
  if (found === 0) throw new StartError('restore', `The dump has nothing of ${quoted(id)}.`);
}

/**
 * Cancels a host's pending removals of services that have no row now: they would remove the container, the data and the backups of the
 * restored service.
 */
const cancelRemovals = (ids: readonly string[]) =>
  `UPDATE host_tasks SET state = 'done', ok = 0, finished_at = unixepoch() * 1000,
    detail = 'Cancelled, because the service was brought back from a dump.'
  WHERE state = 'pending' AND task ->> 'kind' LIKE 'remove-%' AND task ->> 'serviceId' IN (${ids.map(text).join(', ')})
    AND task ->> 'serviceId' NOT IN (SELECT id FROM services)`;

const text = (value: string) => `'${value.replaceAll("'", "''")}'`;
