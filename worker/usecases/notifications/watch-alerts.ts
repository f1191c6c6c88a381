/** The alerts that cron raises and ends. */
import { listOpenOfRules } from '../../store/alert-store.ts';
import { findEndingCertificates, findLongQueues, findOldBackups } from '../../store/standing-alert-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { endCalmAlerts, syncAlerts } from './sync-alerts.ts';

type Needs = Pick<Dependencies, 'db' | 'newId' | 'now'>;

/** Jobs that wait for long; and what has been calm for long enough. */
export async function watchQueue(deps: Needs): Promise<void> {
  await endCalmAlerts(deps);
  const [open, found] = await Promise.all([
    listOpenOfRules(deps.db, ['queue']),
    findLongQueues(deps.db, deps.now()),
  ]);
  await syncAlerts(deps, open, found.map(byCron));
}

/** Certificates that end soon, and backups that are too old. */
export async function watchStanding(deps: Needs): Promise<void> {
  const { db, now } = deps;
  const [open, certificates, backups] = await Promise.all([
    listOpenOfRules(db, ['certificate', 'backupAge']),
    findEndingCertificates(db, now()),
    findOldBackups(db, now()),
  ]);
  await syncAlerts(deps, open, [...certificates, ...backups].map(byCron));
}

const byCron = <Found extends object>(found: Found) => ({ ...found, runnerId: '' });
