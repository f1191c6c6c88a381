import type { DeploySpec } from '../../../protocol/job-spec.ts';
import { requestPlace } from '../../../protocol/sealed-box.ts';
import { ownCertificateOperation } from '../../../protocol/traffic/own-certificate.ts';
import { sealBox } from '../../security/sealed-box.ts';
import { ownCertificatePlace } from '../../security/secret-places.ts';
import {
  listOwnCertificates,
  type OwnCertificateRow,
  storeBox,
} from '../../store/domains/own-certificate-store.ts';
import type { DispatchRows } from '../../store/jobs/dispatch-store.ts';
import type { Dependencies } from '../dependencies.ts';

type Needs = Pick<Dependencies, 'db' | 'envelope'>;

/**
 * The spec with the certificates of its names, which the new host of a move does not have yet. Boxes for a new host are stored, so that
 * later changes of names can use them. A certificate that can't be decrypted is reported in the deployment's log, by the host in the state
 * of the name (which uses an automatic certificate instead), and by an alert (standing-alert-store).
 */
export async function withOwnCertificates(
  deps: Needs,
  { hasOwnCertificates, service, job, sealingKey }: DispatchRows,
  spec: DeploySpec,
): Promise<DeploySpec> {
  if (!hasOwnCertificates || !spec.names) return spec;
  const rows = await listOwnCertificates(deps.db, service.id);
  const host = { runnerId: job.runnerId, sealingKey };
  const certificates = new Map(
    await Promise.all(
      rows.map(async (row) => {
        const sealed = row.boxes[host.runnerId] ?? (await boxForHost(deps, row, host));
        return [row.hostname, { fingerprint: row.facts.fingerprint, sealed }] as const;
      }),
    ),
  );
  const names = spec.names.names.map((name) => {
    const certificate = certificates.get(name.hostname);
    return certificate ? { ...name, certificate } : name;
  });
  const lost = [...certificates].flatMap(([hostname, { sealed }]) => (sealed === null ? [hostname] : []));
  return {
    ...spec,
    warnings: [...spec.warnings, ...lost.map(lostCertificate)],
    names: { ...spec.names, names },
  };
}

const lostCertificate = (hostname: string) =>
  `The certificate that was given for ${hostname} can't be decrypted, so this host does not have it: give it again (docs/operate/certificates.md). Until then the name gets an automatic one.`;

/** @returns null if it can't be decrypted: the deployment continues anyway */
async function boxForHost(
  deps: Needs,
  row: OwnCertificateRow,
  { runnerId, sealingKey }: { runnerId: string; sealingKey: string },
): Promise<string | null> {
  const place = ownCertificatePlace(row.domainId);
  const clear = await deps.envelope.openForInstance(place, row.sealedCertificate).catch(() => undefined);
  if (clear === undefined) return null;
  const box = await sealBox(sealingKey, requestPlace(runnerId, ownCertificateOperation(row.hostname)), clear);
  await storeBox(deps.db, row, { runnerId, box });
  return box;
}
