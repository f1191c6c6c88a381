/** Replaces the live databases and roles with the loaded ones, in one transaction. */
import pg from 'pg';
import { crashPoint } from '../../../base/crash-point.ts';
import type { DataPlace } from '../../archive/archive.ts';
import {
  allowConnections,
  dropDatabases,
  dropSlots,
  endSessions,
  loginTriggers,
  replacesSetting,
  unstopped,
  withMaintenance,
} from './beside.ts';
import { oldPrefix } from './database-facts.ts';
import type { LoadPlan, Target } from './plan.ts';
import { applyRoles } from './restore-roles.ts';
import { withClient } from './with-client.ts';

/** Sessions that reconnect during the swap are ended again. */
const swapTries = 5;

type Plan = Pick<LoadPlan, 'targets' | 'roles' | 'hooks'>;

/** A permitted swap can't be stopped: it must not end halfway. */
export async function swap(stoppable: DataPlace, plan: Plan): Promise<void> {
  const place = unstopped(stoppable);
  await withMaintenance(place, async (client) => {
    const replaced = await existing(client, plan.targets);
    for (const { live } of replaced)
      await withClient(place, live, async (own) => plan.hooks.beforeSwap?.(own));
    for (const { live } of replaced) await allowConnections(client, live, false);
    crashPoint('switch:closed');
    const names = plan.targets.flatMap(({ live, fresh }) => [live, fresh]);
    try {
      await untilAlone(client, names, () => rename(client, plan, replaced));
    } finally {
      // Allows connections to the database that currently has the name: the live one again, or the restored one, which always allowed
      // them.
      for (const { live } of replaced) await allowConnections(client, live, true);
    }
    await tidy(place, client, replaced).catch(() => {}); // the data is swapped; the rest is removed a day later
  });
}

async function existing(client: pg.Client, targets: readonly Target[]): Promise<Target[]> {
  const { rows } = await client.query<{ name: string }>(
    'SELECT datname AS name FROM pg_database WHERE datname = ANY($1)',
    [targets.map(({ live }) => live)],
  );
  const names = new Set(rows.map(({ name }) => name));
  return targets.filter(({ live }) => names.has(live));
}

async function rename(client: pg.Client, { targets, roles }: Plan, replaced: readonly Target[]) {
  const name = (text: string) => pg.escapeIdentifier(text);
  await client.query('BEGIN');
  try {
    for (const { live, old } of replaced)
      await client.query(`ALTER DATABASE ${name(live)} RENAME TO ${name(old)}`);
    for (const { live, fresh, facts } of targets) {
      await client.query(`ALTER DATABASE ${name(fresh)} RESET ${replacesSetting}`);
      for (const statement of await loginTriggers(client, fresh, savedTriggers(facts)))
        await client.query(statement);
      await client.query(`ALTER DATABASE ${name(fresh)} RENAME TO ${name(live)}`);
    }
    if (roles) await applyRoles(client, roles);
    crashPoint('switch:renamed');
    await client.query('COMMIT');
    crashPoint('switch:committed');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}

const savedTriggers = ({ settings }: Target['facts']) =>
  settings
    .filter(({ role }) => role === null)
    .flatMap(({ config }) => config)
    .find((setting) => setting.startsWith('event_triggers='))
    ?.slice('event_triggers='.length);

/** A rename waits 5 s for sessions to end and then fails (55006). So sessions are ended first, and again when some have reconnected. */
async function untilAlone(client: pg.Client, databases: string[], work: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    await endSessions(client, databases);
    try {
      return await work();
    } catch (error) {
      const inUse = error instanceof Error && 'code' in error && error.code === '55006';
      if (!inUse || tries === swapTries) throw error;
    }
  }
}

/** Keeps only the newest replaced data, without slots, which would keep all new WAL, and without active subscriptions. */
async function tidy(place: DataPlace, client: pg.Client, replaced: readonly Target[]): Promise<void> {
  const olds = replaced.map(({ old }) => old);
  for (const slot of await dropSlots(client, olds))
    place.say?.(
      `The logical replication slot ${slot} belonged to the replaced data and was dropped: create it again.`,
    );
  await disableSubscriptions(place, client, olds);
  const { rows } = await client.query<{ name: string }>(
    'SELECT datname AS name FROM pg_database WHERE starts_with(datname, $1) AND datname <> ALL($2)',
    [oldPrefix, olds],
  );
  const older = rows.map(({ name }) => name);
  await dropDatabases(place, client, older);
}

/** The replaced data must not receive data for the restored database. */
async function disableSubscriptions(place: DataPlace, client: pg.Client, olds: string[]): Promise<void> {
  const { rows } = await client.query<{ old: string; name: string }>(
    `SELECT datname AS old, subname AS name FROM pg_subscription s JOIN pg_database d ON d.oid = s.subdbid
      WHERE datname = ANY($1) AND subenabled`,
    [olds],
  );
  for (const { old, name } of rows) {
    await allowConnections(client, old, true);
    await withClient(place, old, (own) =>
      own.query(`ALTER SUBSCRIPTION ${pg.escapeIdentifier(name)} DISABLE`),
    );
    await allowConnections(client, old, false);
    place.say?.(
      `The subscription ${name} is disabled in the restored database: enable it when it may receive data again.`,
    );
  }
}
