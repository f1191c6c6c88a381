/** The alerts that cron raises and ends. */

import { settingsOf } from '../../domain/instance/settings.ts';
import { type DayUse, isBudgetLow } from '../../domain/logs/log-pace.ts';
import { defaultTenantId } from '../../domain/tenants/tenant-limits.ts';
import { listOpenOfRules } from '../../store/alerts/alert-store.ts';
import { findFullQuotas, findRefusingQuotas } from '../../store/alerts/quota-alert-store.ts';
import {
  findAwayHosts,
  findEndingCertificates,
  findLongQueues,
  findOldBackups,
} from '../../store/alerts/standing-alert-store.ts';
import { dayUseOf, selectDayUse } from '../../store/instance/object-day-store.ts';
import { selectSettings } from '../../store/instance/settings-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { endCalmAlerts, syncAlerts } from './sync-alerts.ts';

const dayBudget = 'objectRequestsPerDay';

type Needs = Pick<Dependencies, 'db' | 'newId' | 'now'>;

/** Checks long waiting jobs, quotas that refuse, and flapping alerts that are over. */
export async function watchQueue(deps: Needs): Promise<void> {
  await endCalmAlerts(deps);
  const [open, jobs, quotas] = await Promise.all([
    listOpenOfRules(deps.db, ['queue', 'quotaRefused']),
    findLongQueues(deps.db, deps.now()),
    findRefusingQuotas(deps.db, deps.now()),
  ]);
  await syncAlerts(deps, open, [...jobs.map(byCron), ...quotas.map(aboutNoService)]);
}

/** Checks for disconnected hosts. */
export async function watchHosts(deps: Needs): Promise<void> {
  const [open, away] = await Promise.all([
    listOpenOfRules(deps.db, ['hostAway']),
    findAwayHosts(deps.db, deps.now()),
  ]);
  await syncAlerts(deps, open, away.map(aboutNoService));
}

/** Checks for certificates that end soon, backups that are too old, and quotas that are nearly used up. */
export async function watchStanding(deps: Needs): Promise<void> {
  const { db, now } = deps;
  const { tenantLimits } = settingsOf(await selectSettings(db));
  const { buildMinutesPerDay, buildLogBytesPerDay } = tenantLimits;
  const [open, certificates, backups, quotas, day] = await Promise.all([
    listOpenOfRules(db, ['certificate', 'backupAge', 'quotaNear']),
    findEndingCertificates(db, now()),
    findOldBackups(db, now()),
    findFullQuotas(db, { buildMinutesPerDay, buildLogBytesPerDay }),
    selectDayUse(db, now()),
  ]);
  const ofTenants = [...quotas, ...lowBudget(dayUseOf(day))];
  await syncAlerts(deps, open, [
    ...[...certificates, ...backups].map(byCron),
    ...ofTenants.map(aboutNoService),
  ]);
}

/** The platform's limits for the whole instance: reported to the default tenant, which is the operator's. */
const lowBudget = (use: DayUse) =>
  isBudgetLow(use)
    ? [
        {
          rule: 'quotaNear' as const,
          subjectId: `${defaultTenantId}/${dayBudget}`,
          tenantId: defaultTenantId,
          detail: `The instance has used ${use.used} of ${use.budget} "${dayBudget}": lines of logs come each 5 s until the next day (UTC).`,
        },
      ]
    : [];

const aboutNoService = <Found extends object>(found: Found) => ({ ...found, serviceId: null, runnerId: '' });
const byCron = <Found extends object>(found: Found) => ({ ...found, runnerId: '' });
