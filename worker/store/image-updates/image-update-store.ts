/** Rows of services whose image is watched (domain/image-updates). */
import { and, asc, eq, isNotNull, isNull, lte, type SQL, sql } from 'drizzle-orm';
import { sharedHostColumns } from '../jobs/dispatch-store.ts';
import { deployments } from '../schema/deployments.ts';
import { imageUpdates } from '../schema/image-updates.ts';
import { jobs } from '../schema/jobs.ts';
import { projects } from '../schema/projects.ts';
import { runners } from '../schema/runners.ts';
import { services } from '../schema/services.ts';
import { volumes } from '../schema/volumes.ts';
import { loginsOfTenant } from '../sources/registry-store.ts';
import type { Database } from '../sql/database.ts';

export type ImageUpdateRow = typeof imageUpdates.$inferSelect;
export type DueLook = Awaited<ReturnType<typeof selectDueLooks>>[number];

const setting = sql<string | null>`(services.push_settings ->> 'imageUpdates')`;
/** The index of such services needs both conditions in these words. */
const mayWatch = sql`services.kind = 'image' and services.push_settings is not null`;

/** Begins to watch the services that have been set to it since. */
export const insertMissingRows = (db: Database, now: number) =>
  db.run(sql`insert into image_updates (service_id, image_ref, check_at, updated_at)
    select services.id, services.image_ref, ${now}, ${now} from services
    where ${mayWatch} and ${setting} is not null and services.image_ref is not null
      and not exists (select 1 from image_updates where service_id = services.id)
    on conflict do nothing`);

/** Services whose registry has to be asked, longest wait first, with their connected hosts. */
export const selectDueLooks = (db: Database, now: number, limit: number) =>
  db
    .select({
      serviceId: imageUpdates.serviceId,
      failures: imageUpdates.failures,
      kind: services.kind,
      imageRef: services.imageRef,
      setting: setting.as('setting'),
      hasAttempt: sql<boolean>`${imageUpdates.attempt} is not null`.mapWith(Boolean).as('has_attempt'),
      tenantId: sql<string>`${projects.tenantId}`.as('project_tenant'),
      registries: loginsOfTenant.as('registries'),
      runnerId: runners.id,
      hostName: sharedHostColumns.name,
      sealingKey: runners.sealingKey,
      facts: runners.facts,
    })
    .from(imageUpdates)
    .innerJoin(services, eq(services.id, imageUpdates.serviceId))
    .innerJoin(projects, eq(projects.id, services.projectId))
    .innerJoin(runners, eq(runners.id, services.runnerId))
    .where(and(lte(imageUpdates.checkAt, now), isNotNull(runners.connectedAt), isNull(runners.revokedAt)))
    .orderBy(asc(imageUpdates.checkAt))
    .limit(limit);

/** All services of a tenant on a host that have the same image: they share the answer of its registry. */
export interface SameImage {
  runnerId: string;
  tenantId: string;
  imageRef: string;
}

const shares = ({ runnerId, tenantId, imageRef }: SameImage): SQL =>
  sql`service_id in (select services.id from services join projects on projects.id = services.project_id
    where services.runner_id = ${runnerId} and projects.tenant_id = ${tenantId} and services.image_ref = ${imageRef})`;

/** Stores a registry's answer. Of another image of the service, nothing remains. */
export function writeDigest(db: Database, image: SameImage, digest: string, at: number, checkAt: number) {
  const isSame = sql`image_ref = ${image.imageRef}`;
  return db.run(sql`update image_updates set digest = ${digest}, image_ref = ${image.imageRef},
      seen_at = iif(digest = ${digest} and ${isSame}, seen_at, ${at}), handled_digest = iif(${isSame}, handled_digest, null),
      retry_at = iif(digest = ${digest} and ${isSame}, retry_at, null),
      act_at = iif(attempt is not null, act_at, iif(handled_digest is ${digest} and ${isSame}, null, ${at})),
      checked_at = ${at}, check_at = ${checkAt}, failures = 0, trouble = null, updated_at = ${at}
    where ${shares(image)}`);
}

/** Stores why there was no answer. */
export const writeTrouble = (
  db: Database,
  image: SameImage,
  trouble: { reason: string; at: number; checkAt: number },
) =>
  db.run(sql`update image_updates set trouble = ${trouble.reason}, failures = failures + 1, check_at = ${trouble.checkAt},
      updated_at = ${trouble.at}
    where ${shares(image)}`);

/** Ends the watch, unless an update is under way. */
export const deleteImageUpdate = (db: Database, serviceId: string) =>
  db.delete(imageUpdates).where(and(eq(imageUpdates.serviceId, serviceId), isNull(imageUpdates.attempt)));

/** Services with a step to take, longest wait first. */
export const selectDueSteps = (db: Database, now: number, limit: number) =>
  db
    .select({ serviceId: imageUpdates.serviceId, actAt: imageUpdates.actAt })
    .from(imageUpdates)
    .where(lte(imageUpdates.actAt, now))
    .orderBy(asc(imageUpdates.actAt))
    .limit(limit);

/** The due step of a service's update that is under way; undefined without one, and while another worker has claimed it. */
export async function findOpenStep(db: Database, serviceId: string, now: number) {
  const [row] = await db
    .select({ serviceId: imageUpdates.serviceId, actAt: imageUpdates.actAt })
    .from(imageUpdates)
    .where(
      and(
        eq(imageUpdates.serviceId, serviceId),
        isNotNull(imageUpdates.attempt),
        lte(imageUpdates.actAt, now),
      ),
    );
  return row;
}

const claimMs = 60_000;

/** Claims a step, so that of two workers one takes it. @returns undefined if another one has it; otherwise the row with all that decides the step */
export async function claimStep(
  db: Database,
  { serviceId, actAt }: { serviceId: string; actAt: number | null },
  now: number,
) {
  const claimedUntil = now + claimMs;
  const mine = eq(services.id, serviceId);
  const [claimed, [service], [live], found, [busy]] = await db.batch([
    db
      .update(imageUpdates)
      .set({ actAt: claimedUntil })
      .where(and(eq(imageUpdates.serviceId, serviceId), sql`act_at is ${actAt}`))
      .returning(),
    db.select().from(services).where(mine),
    db
      .select({ id: deployments.id, imageDigest: deployments.imageDigest })
      .from(deployments)
      .where(and(eq(deployments.serviceId, serviceId), eq(deployments.status, 'running'))),
    db.select().from(volumes).where(eq(volumes.serviceId, serviceId)).orderBy(asc(volumes.createdAt)),
    db.all<{ isBusy: number }>(sql`select (
      exists (select 1 from jobs where service_id = ${serviceId} and kind <> 'run' and state in ('queued', 'active'))
      or exists (select 1 from volume_moves where service_id = ${serviceId} and status = 'running')) as isBusy`),
  ]);
  const [row] = claimed;
  if (!row || !service) return undefined;
  return { row, service, live, volumes: found, isBusy: Boolean(busy?.isBusy) };
}
export type ClaimedStep = NonNullable<Awaited<ReturnType<typeof claimStep>>>;

/** Writes the result of a claimed step. */
export const writeStep = (db: Database, serviceId: string, changes: Partial<ImageUpdateRow>) =>
  db.update(imageUpdates).set(changes).where(eq(imageUpdates.serviceId, serviceId));

/** The deployment of an update, and the phase in which its job is or ended. */
export async function findUpdateDeployment(db: Database, deploymentId: string) {
  const [row] = await db
    .select({ status: deployments.status, phase: jobs.phase, failureMessage: jobs.failureMessage })
    .from(deployments)
    .innerJoin(jobs, eq(jobs.id, deployments.jobId))
    .where(eq(deployments.id, deploymentId));
  return row;
}

/** What is shown of a service's updates: one row or none. */
export const selectImageUpdate = (db: Database, serviceId: string | SQL) =>
  db.select().from(imageUpdates).where(eq(imageUpdates.serviceId, serviceId));

/** The digest of the live version. */
export const selectLiveDigest = (db: Database, serviceId: string | SQL) =>
  db
    .select({ liveDigest: sql<string | null>`${deployments.imageDigest}`.as('live_digest') })
    .from(deployments)
    .where(and(eq(deployments.serviceId, serviceId), eq(deployments.status, 'running')));
