import type { z } from 'zod';
import type { retentionChangesSchema } from '../../domain/deployments/retention.ts';
import { type Settings, settingsOf } from '../../domain/instance/settings.ts';
import type { tenantLimitChangesSchema } from '../../domain/tenants/tenant-limits.ts';
import { dropUndeliveredEvents } from '../../store/alerts/event-store.ts';
import { upsertSettingsWithoutObjects } from '../../store/backups/bucket-store.ts';
import { withCustomDomains } from '../../store/domains/service-names-store.ts';
import { selectSettings, upsertSettings } from '../../store/instance/settings-store.ts';
import { assertBucket } from '../backups/assert-bucket.ts';
import { type BucketChange, copiesStay, prepareBucket } from '../backups/change-backup-bucket.ts';
import type { Dependencies } from '../dependencies.ts';
import { namesTasks } from '../domains/names-tasks.ts';
import { eventWebhookRows, type WantedWebhook } from './event-webhook.ts';

export type SettingChanges = {
  [Name in Exclude<keyof Settings, 'eventWebhook' | 'backupBucket' | 'tenantLimits' | 'retention'>]?:
    | Settings[Name]
    | undefined;
} & {
  eventWebhook?: WantedWebhook | null | undefined;
  /** Absent limits do not change. */
  tenantLimits?: z.infer<typeof tenantLimitChangesSchema> | undefined;
  /** Absent fields do not change. */
  retention?: z.infer<typeof retentionChangesSchema> | undefined;
} & BucketChange;

export async function readSettings({ db }: Pick<Dependencies, 'db'>): Promise<Settings> {
  return settingsOf(await selectSettings(db));
}

/**
 * Changes the given settings, at least one. If the public IP changes, hosts get the new target address of custom domains.
 * @returns all settings; `madeSecret`: a generated secret of the event webhook, to be shown once
 * @throws ApiError `invalid_request` for a URL of the event webhook or the bucket that is not allowed; `provider_refused` for a bucket
 *   that does not work; `conflict` while the current bucket holds copies, and for an archive of logs in a bucket that does not work
 */
export async function changeSettings(
  deps: Pick<
    Dependencies,
    'db' | 'hubs' | 'blobs' | 'tryBucket' | 'envelope' | 'fillRandom' | 'newId' | 'now'
  >,
  { eventWebhook, backupBucket, leaveBackupCopies, tenantLimits, retention, ...values }: SettingChanges,
): Promise<{ settings: Settings; madeSecret: string | undefined }> {
  const { db, hubs, now } = deps;
  if (values.logArchiveDays != null && backupBucket === undefined)
    await assertBucket(
      deps,
      (trouble) => `"logArchiveDays" needs the bucket, which does not work: ${trouble}`,
    );
  const webhook = eventWebhook === undefined ? undefined : await webhookRows(deps, eventWebhook, values);
  const { allowPrivateBackupBucket } = values;
  const bucket = await prepareBucket(deps, { backupBucket, allowPrivateBackupBucket, leaveBackupCopies });
  const partial = (tenantLimits || retention) && (await mergedSettings(deps, { tenantLimits, retention }));
  const upsert = bucket.isGuarded ? upsertSettingsWithoutObjects : upsertSettings;
  const write = upsert(db, { ...values, ...webhook?.rows, ...bucket.rows, ...partial }, now());
  const read = selectSettings(db);
  const namesStatements = values.publicIp === undefined ? [] : namesTasks(deps, withCustomDomains, []);
  const [written, rows, , , , , tasks = []] = await db.batch([
    write,
    read,
    ...dropUndeliveredEvents(db),
    ...namesStatements,
  ]);
  if (bucket.isGuarded && Array.isArray(written) && written.length === 0) throw await copiesStay(deps);
  // Refreshes the cached state of the bucket, which would otherwise be the old bucket's for up to a minute.
  if (Object.keys(bucket.rows).length > 0) await deps.blobs.trouble(true);
  const hosts = [...new Set(tasks.map(({ runnerId }) => runnerId))];
  await Promise.all(hosts.slice(0, wokenHostsMax).map((runnerId) => hubs.wake(runnerId)));
  return { settings: settingsOf(rows), madeSecret: webhook?.madeSecret };
}

/** The settings that a request may change in part, with all their fields. */
async function mergedSettings(
  deps: Pick<Dependencies, 'db'>,
  { tenantLimits, retention }: Pick<SettingChanges, 'tenantLimits' | 'retention'>,
) {
  const now = await readSettings(deps);
  return {
    ...(tenantLimits && { tenantLimits: { ...now.tenantLimits, ...tenantLimits } }),
    ...(retention && { retention: { ...now.retention, ...retention } }),
  };
}

/** Validated against the new settings, so that one request can allow an address and use it. */
async function webhookRows(
  deps: Pick<Dependencies, 'db' | 'envelope' | 'fillRandom'>,
  wanted: WantedWebhook | null,
  values: Readonly<Record<string, unknown>>,
) {
  const rows = await selectSettings(deps.db);
  const changed = Object.entries(values).map(([name, value]) => ({ name, value }));
  return eventWebhookRows(deps, wanted, { rows, settings: settingsOf([...rows, ...changed]) });
}

/** Number of hosts that the request itself wakes up; the sweep wakes up the others within a minute. */
const wokenHostsMax = 40;
