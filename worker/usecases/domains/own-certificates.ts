/** Certificates that owners of domains provide instead of automatic ones. */
import type { ProxyResult } from '../../../protocol/host-task.ts';
import { requestPlace } from '../../../protocol/sealed-box.ts';
import { ownCertificateOperation } from '../../../protocol/traffic/own-certificate.ts';
import { assertTakesDomains } from '../../domain/domains/custom-domain.ts';
import {
  type CertificateFacts,
  type OwnCertificateBody,
  ownCertificatesPerService,
} from '../../domain/domains/own-certificate.ts';
import { ApiError } from '../../domain/errors.ts';
import { sealBox } from '../../security/sealed-box.ts';
import { ownCertificatePlace } from '../../security/secret-places.ts';
import type { DomainRow } from '../../store/domains/domain-store.ts';
import {
  countOtherOwnCertificates,
  deleteOwnCertificate,
  putOwnCertificate,
  selectOwnCertificate,
} from '../../store/domains/own-certificate-store.ts';
import { type RunnerRow, selectRunner } from '../../store/hosts/runner-store.ts';
import type { ServiceRow } from '../../store/services/service-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { changeNames } from './names-tasks.ts';

interface Loaded {
  service: ServiceRow;
  domain: DomainRow;
}

export interface OwnCertificate {
  facts: CertificateFacts;
  updatedAt: number;
}

/** @returns undefined for a domain with an automatic certificate */
export async function findOwnCertificate(
  { db }: Pick<Dependencies, 'db'>,
  domainId: string,
): Promise<OwnCertificate | undefined> {
  const [row] = await selectOwnCertificate(db, domainId);
  return row;
}

/**
 * Sets the certificate of a domain and sends it to the service's host.
 * @returns the answer that a request to the name gets now
 * @throws ApiError `invalid_request` with the field; `unsupported`; `quota_exceeded`
 */
export async function setOwnCertificate(
  deps: Dependencies,
  { service, domain }: Loaded,
  body: OwnCertificateBody,
): Promise<{ own: OwnCertificate; proxy: ProxyResult }> {
  assertTakesDomains(service);
  const hosts = await hostsOf(deps, service, domain.id);
  const now = deps.now();
  // Loaded on demand: it is large, and no other request needs it.
  const { checkOwnCertificate } = await import('../../security/own-certificate/check-certificate.ts');
  const { facts, ...pem } = await checkOwnCertificate(body, domain.hostname, now);
  const clear = JSON.stringify(pem);
  const boxes = await Promise.all(
    hosts.map(async ({ id, sealingKey }) => {
      const place = requestPlace(id, ownCertificateOperation(domain.hostname));
      return [id, await sealBox(sealingKey, place, clear)] as const;
    }),
  );
  const put = putOwnCertificate(deps.db, {
    domainId: domain.id,
    serviceId: service.id,
    hostname: domain.hostname,
    facts,
    sealedCertificate: await deps.envelope.sealForInstance(ownCertificatePlace(domain.id), clear),
    boxes: Object.fromEntries(boxes),
    updatedAt: now,
  });
  return { own: { facts, updatedAt: now }, proxy: await change(deps, domain, put) };
}

/** Returns the name to an automatic certificate. @returns as `setOwnCertificate` */
export function removeOwnCertificate(deps: Dependencies, domain: DomainRow): Promise<ProxyResult> {
  return change(deps, domain, deleteOwnCertificate(deps.db, domain.id));
}

/** An unverified name is not sent to the host yet. */
async function change(
  deps: Dependencies,
  { serviceId, hostname, isVerified, dnsDetail }: DomainRow,
  statement: Parameters<typeof changeNames>[1],
): Promise<ProxyResult> {
  if (isVerified) return changeNames(deps, statement, { serviceId, changed: [hostname] });
  await deps.db.batch([statement]);
  return { ok: false, detail: dnsDetail ?? `${hostname} is not verified yet.` };
}

/** The host of the service, and the new host during a move. @throws ApiError */
async function hostsOf({ db }: Dependencies, service: ServiceRow, domainId: string): Promise<RunnerRow[]> {
  const [[here], [next], [others]] = await db.batch([
    selectRunner(db, service.runnerId),
    selectRunner(db, service.nextRunnerId ?? service.runnerId),
    countOtherOwnCertificates(db, service.id, domainId),
  ]);
  if ((others?.count ?? 0) >= ownCertificatesPerService) {
    throw new ApiError(
      'quota_exceeded',
      `A service can have ${ownCertificatesPerService} certificates of its own: remove one, or use one certificate for several services.`,
    );
  }
  return [here, next].flatMap((found) => found?.runner ?? []);
}
