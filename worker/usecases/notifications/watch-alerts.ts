/** The alerts that cron raises and ends. */

import { settingsOf } from '../../domain/instance/settings.ts';
import { type DayUse, isBudgetLow } from '../../domain/logs/log-pace.ts';
import { defaultTenantId } from '../../domain/tenants/tenant.ts';
import { listOpenOfRules } from '../../store/alerts/alert-store.ts';
import { findFullQuotas, findRefusingQuotas } from '../../store/alerts/quota-alert-store.ts';
import {
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

/** Jobs that wait for long, and quotas that refuse; and what has been calm for long enough. */
export async function watchQueue(deps: Needs): Promise<void> {
  await endCalmAlerts(deps);
  const [open, jobs, quotas] = await Promise.all([
    listOpenOfRules(deps.db, ['queue', 'quotaRefused']),
    findLongQueues(deps.db, deps.now()),
    findRefusingQuotas(deps.db, deps.now()),
  ]);
  await syncAlerts(deps, open, [...jobs.map(byCron), ...quotas.map(aboutTenant)]);
}

/** Certificates that end soon, backups that are too old, and quotas that are nearly used up. */
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
  await syncAlerts(deps, open, [...[...certificates, ...backups].map(byCron), ...ofTenants.map(aboutTenant)]);
}

/** What the platform allows the whole instance: the default tenant is told, which is that of the operator. */
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

const aboutTenant = <Found extends object>(found: Found) => ({ ...found, serviceId: null, runnerId: '' });
const byCron = <Found extends object>(found: Found) => ({ ...found, runnerId: '' });
