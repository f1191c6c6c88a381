/** Certificates that owners of domains provided. A certificate for an earlier name of its domain is not used. */
import { and, eq, sql } from 'drizzle-orm';
import { domains, ownCertificates } from '../schema/domains.ts';
import { services } from '../schema/services.ts';
import type { Database } from '../sql/database.ts';

export type OwnCertificateRow = typeof ownCertificates.$inferSelect;

const isOfName = eq(ownCertificates.hostname, domains.hostname);

/** The certificate of a domain, without its key: one row or none. */
export function selectOwnCertificate(db: Database, domainId: string) {
  return db
    .select({ facts: ownCertificates.facts, updatedAt: ownCertificates.updatedAt })
    .from(ownCertificates)
    .innerJoin(domains, eq(domains.id, ownCertificates.domainId))
    .where(and(eq(ownCertificates.domainId, domainId), isOfName));
}

/** Number of other domains of the service with a certificate of their own. */
export const countOtherOwnCertificates = (db: Database, serviceId: string, domainId: string) =>
  db
    .select({ count: sql<number>`count(*)` })
    .from(ownCertificates)
    .where(and(eq(ownCertificates.serviceId, serviceId), sql`domain_id <> ${domainId}`));

/** Writes nothing if the domain has been removed or renamed since. */
export function putOwnCertificate(db: Database, row: OwnCertificateRow) {
  return db.run(sql`
    insert into own_certificates (domain_id, service_id, hostname, facts, sealed_certificate, boxes, updated_at)
    select id, service_id, hostname, ${JSON.stringify(row.facts)}, ${row.sealedCertificate}, ${JSON.stringify(row.boxes)}, ${row.updatedAt}
    from domains where id = ${row.domainId} and hostname = ${row.hostname}
    on conflict (domain_id) do update set hostname = excluded.hostname, facts = excluded.facts,
      sealed_certificate = excluded.sealed_certificate, boxes = excluded.boxes, updated_at = excluded.updated_at`);
}

export const deleteOwnCertificate = (db: Database, domainId: string) =>
  db.delete(ownCertificates).where(eq(ownCertificates.domainId, domainId));

/** All certificates of a service that are in use. */
export const listOwnCertificates = (db: Database, serviceId: string): Promise<OwnCertificateRow[]> =>
  db
    .select({ row: ownCertificates })
    .from(ownCertificates)
    .innerJoin(domains, eq(domains.id, ownCertificates.domainId))
    .where(and(eq(ownCertificates.serviceId, serviceId), isOfName))
    .then((rows) => rows.map(({ row }) => row));

/** Adds the sealed box for another host, unless the certificate has been replaced since. */
export const storeBox = (
  db: Database,
  { domainId, facts, updatedAt }: OwnCertificateRow,
  { runnerId, box }: { runnerId: string; box: string },
) =>
  db.run(sql`update own_certificates set boxes = json_set(boxes, ${`$.${runnerId}`}, ${box})
    where domain_id = ${domainId} and facts ->> 'fingerprint' = ${facts.fingerprint} and updated_at = ${updatedAt}`);

/** Whether a service of the query has certificates of its own. */
export const hasOwnCertificates = sql<boolean>`exists (select 1 from own_certificates where own_certificates.service_id = ${services.id})`;

/** The certificate in the form for its host (protocol/service-names), for a statement on `services` and `domains`; null for an automatic one. */
export const certificateOfName = sql`(select json_object('fingerprint', facts ->> 'fingerprint', 'sealed', boxes ->> services.runner_id)
  from own_certificates where own_certificates.domain_id = domains.id and own_certificates.hostname = domains.hostname)`;
