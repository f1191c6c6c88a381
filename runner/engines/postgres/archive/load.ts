/**
 * Loads databases beside the live ones. Until the swap, nothing of the live data changes. The names and marks of the new databases tell a
 * restarted runner the progress of the restore.
 */
import pg from 'pg';
import { crashPoint } from '../../../base/crash-point.ts';
import type { Contents, DataPlace, LoadedData, RestoreNames } from '../../archive/archive.ts';
import { retryCleanup } from '../../archive/retry-cleanup.ts';
import { EngineError } from '../../engine-error.ts';
import {
  dropDatabases,
  inTransaction,
  loginTriggers,
  namesOf,
  replacesSetting,
  unstopped,
  withMaintenance,
} from './beside.ts';
import { countAll } from './count.ts';
import {
  createStatement,
  freshPrefix,
  loadStatements,
  propertyStatements,
  readDatabase,
} from './database-facts.ts';
import { createExtensions } from './extensions.ts';
import type { LoadPlan, RestoreHooks, Target } from './plan.ts';
import { discardLoaded } from './recover.ts';
import { makeMissingRoles, type RestoredRoles, tryRoles } from './restore-roles.ts';
import { swap } from './swap.ts';
import { withClient } from './with-client.ts';

/** Loads one database, which replaces the service's own. @param fill puts the data into the new database with the given name */
export async function loadOne(
  place: DataPlace,
  names: RestoreNames,
  hooks: RestoreHooks,
  fill: (fresh: string) => Promise<void>,
): Promise<LoadedData> {
  const target = await ownTarget(place, names);
  return loadBeside(place, names, {
    ...{ targets: [target], roles: null, hooks },
    fill: () => fill(target.fresh),
  });
}

/** The target has the same properties as the live database. */
async function ownTarget(place: DataPlace, names: RestoreNames): Promise<Target> {
  const { live, fresh, old } = namesOf(place, names);
  const facts = await withMaintenance(place, (client) => readDatabase(client, live));
  if (!facts)
    throw new EngineError('not_found', 'The database of this service no longer exists in its server.');
  return { live, fresh, old, facts, extensions: null };
}

/** @throws EngineError; the signal's reason. Then no new database is left. */
export async function loadBeside(place: DataPlace, names: RestoreNames, plan: LoadPlan): Promise<LoadedData> {
  const discard = () => retryCleanup(() => discardLoaded(unstopped(place), names), place.signal);
  try {
    await createTargets(place, names, plan);
    crashPoint('load:made');
    for (const target of plan.targets) await prepare(place, plan, target);
    await plan.fill();
    for (const target of plan.targets) await complete(place, plan, target);
    if (plan.roles) await withMaintenance(place, (client) => tryRoles(client, plan.roles as RestoredRoles));
  } catch (error) {
    await discard().catch(() => {});
    throw error;
  }
  return {
    contents: () => contentsOf(place, plan.targets),
    swap: () => swap(place, plan),
    discard,
  };
}

async function createTargets(
  place: DataPlace,
  names: RestoreNames,
  { targets, roles }: LoadPlan,
): Promise<void> {
  await withMaintenance(place, async (client) => {
    await dropLeftOver(place, client);
    if (roles) await makeMissingRoles(client, roles, names);
    for (const { live, fresh, facts } of targets) {
      await client.query(createStatement(fresh, facts));
      await client.query(
        `ALTER DATABASE ${pg.escapeIdentifier(fresh)} SET ${replacesSetting} TO ${pg.escapeLiteral(live)}`,
      );
      await inTransaction(client, [
        ...(await loginTriggers(client, fresh, 'off')),
        ...loadStatements(fresh, facts),
      ]);
    }
  });
}

const isHooked = ({ hooks }: LoadPlan, { extensions }: Target) =>
  extensions === null || extensions.some(({ name }) => name === hooks.extension);

async function prepare(place: DataPlace, plan: LoadPlan, target: Target): Promise<void> {
  await withClient(place, target.fresh, async (client) => {
    for (const sentence of await createExtensions(client, target.extensions ?? [])) place.say?.(sentence);
    if (isHooked(plan, target)) await plan.hooks.beforeLoad?.(client);
  });
}

/** The properties are set last, because a setting of the database could make an earlier step fail. */
async function complete(place: DataPlace, plan: LoadPlan, target: Target): Promise<void> {
  const { fresh, live, facts } = target;
  await withClient(place, fresh, async (client) => {
    if (isHooked(plan, target)) await plan.hooks.afterLoad?.(client);
    await analyze(place, client, live);
    await inTransaction(client, propertyStatements(fresh, facts));
  });
}

/** Collects statistics, without which the first queries would run with poor plans. They are not part of the data, so a failure is only logged. */
async function analyze(place: DataPlace, client: pg.Client, database: string): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT format('%I.%I', nspname, relname) AS name FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
      WHERE relkind IN ('r', 'p', 'm') AND relpersistence <> 't' AND nspname NOT IN ('pg_catalog', 'information_schema')`,
  );
  for (const { name } of rows)
    await client.query(`ANALYZE ${name}`).catch((error: Error) => {
      place.signal.throwIfAborted();
      place.say?.(`ANALYZE of ${name} in the database ${database} failed: ${error.message}.`);
    });
}

async function contentsOf(place: DataPlace, targets: readonly Target[]): Promise<Contents> {
  let [tables, rows] = [0, 0];
  for (const { fresh } of targets) {
    const counted = await withClient(place, fresh, countAll);
    tables += counted.tables;
    rows += counted.rows;
  }
  return { tables, rows };
}

/** Drops what earlier attempts could not clean up because the server was down. A service runs only one restore or import at a time. */
async function dropLeftOver(place: DataPlace, client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    'SELECT datname AS name FROM pg_database WHERE starts_with(datname, $1)',
    [freshPrefix],
  );
  const names = rows.map(({ name }) => name);
  await dropDatabases(place, client, names);
}
