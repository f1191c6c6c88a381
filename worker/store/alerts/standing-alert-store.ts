/** Conditions that cron checks for alerts: names, queues, hosts and backups. */
import { sql } from 'drizzle-orm';
import { cronThresholds } from '../../domain/alerts/alerts.ts';
import type { Database } from '../sql/database.ts';
import type { SeenAlert } from './alert-change-store.ts';
import { openAlertsFirst } from './open-alerts-first.ts';

type Found = Pick<SeenAlert, 'rule' | 'subjectId' | 'detail'> & { serviceId: string };

const day = (at: ReturnType<typeof sql>) => sql`strftime('%Y-%m-%d', ${at} / 1000, 'unixepoch')`;

/**
 * Custom domains whose certificate ends soon: automatic ones of active domains, and all that owners provided; and domains whose host
 * never received the owner's certificate, because it could not be decrypted.
 */
export const findEndingCertificates = (db: Database, now: number) =>
  openAlertsFirst<Found>(
    db,
    'certificate',
    sql`select 'certificate' as rule, domains.id as subjectId, service_id as serviceId,
      'The certificate of ' || hostname || ' ends on ' || ${day(sql`(certificate ->> 'expiresAt')`)} || ' and was not renewed.' as detail
    from domains where status = 'active' and certificate ->> 'expiresAt' < ${now + cronThresholds.certificateMs}
      and not exists (select 1 from own_certificates where domain_id = domains.id and own_certificates.hostname = domains.hostname)
    union all select 'certificate', domain_id, own_certificates.service_id,
      'The certificate that was given for ' || own_certificates.hostname || iif(isMissing, ' is not on its host: give it again.',
        ' ends on ' || ${day(sql`(facts ->> 'expiresAt')`)} || ': replace it.')
    from (select *, boxes ->> (select runner_id from services where services.id = service_id) is null as isMissing from own_certificates) as own_certificates
    join domains on domains.id = domain_id and domains.hostname = own_certificates.hostname
    where isMissing or facts ->> 'expiresAt' < ${now + cronThresholds.ownCertificateMs}`,
  );

/** Services with a job that waits for a connected host. */
export const findLongQueues = (db: Database, now: number) =>
  openAlertsFirst<Found>(
    db,
    'queue',
    sql`select 'queue' as rule, jobs.service_id as subjectId, jobs.service_id as serviceId,
      'A job has waited since ' || strftime('%H:%M', min(queued_at) / 1000, 'unixepoch') || ' UTC, although its host is connected.' as detail
    from jobs join runners on runners.id = jobs.runner_id and connected_at is not null and not drained
    where jobs.state = 'queued' and jobs.state in ('queued', 'active') and queued_at < ${now - cronThresholds.queueMs} and service_id is not null
    group by jobs.service_id`,
  );

export const findAwayHosts = (db: Database, now: number) =>
  openAlertsFirst<Pick<SeenAlert, 'rule' | 'subjectId' | 'detail'>>(
    db,
    'hostAway',
    sql`select 'hostAway' as rule, id as subjectId,
      'It has not been connected since ' || strftime('%Y-%m-%d %H:%M', disconnected_at / 1000, 'unixepoch') || ' UTC.' as detail
    from runners where connected_at is null and disconnected_at < ${now - cronThresholds.hostAwayMs} and revoked_at is null`,
  );

/** Databases with automatic backups whose newest backup is too old, or that have had none for so long. */
export const findOldBackups = (db: Database, now: number) => {
  const { daily, weekly, monthly } = cronThresholds.backupAgeMs;
  const newest = sql`coalesce((select max(finished_at) from backups where backups.service_id = schedule.service_id
    and status = 'succeeded'), schedule.created_at)`;
  return openAlertsFirst<Found>(
    db,
    'backupAge',
    sql`select 'backupAge' as rule, service_id as subjectId, service_id as serviceId,
      'Its newest backup is of ' || ${day(sql`newest`)} || ', or older than its schedule.' as detail
    from (select service_id, ${newest} as newest, case when daily_enabled then ${daily} when weekly_enabled then ${weekly} else ${monthly} end as age
      from backup_settings as schedule where automatic_enabled and (daily_enabled or weekly_enabled or monthly_enabled))
    where newest < ${now} - age`,
  );
};
