/** Renews the certificates of databases before they expire, while sessions stay open: no restart, no new key. */
import { z } from 'zod';
import { labels, stableContainerName } from '../../protocol/names.ts';
import type { Clock } from '../base/clock.ts';
import { type Logger, messageOf } from '../base/logger.ts';
import type { DockerHost } from '../docker/client.ts';
import { putFiles } from '../docker/container-files.ts';
import { type ContainerFacts, environmentOf, listContainers } from '../docker/containers.ts';
import { offersTls } from '../docker/offers-tls.ts';
import { offeredCertificate } from '../engines/postgres/offered-certificate.ts';
import { postgresTls } from '../engines/postgres/tls-files.ts';
import type { DatabaseTls, HostDatabaseTls } from './database-tls.ts';
import { hasNames, isTrusted, renewalDueAt } from './offered-tls.ts';
import { repairFiles } from './repair-files.ts';

export interface RenewalParts {
  docker: DockerHost;
  tls: HostDatabaseTls;
  clock: Clock;
  logger: Pick<Logger, 'info' | 'warn'>;
}

const namesSchema = z.array(z.string());

/**
 * Renews the certificate of every database of this host whose certificate is due, has the wrong names, or is not from the host's current CA
 * for its tenant. Repairs every database that can't start with its certificate. A failure, also of a server that did not load its new
 * certificate, is logged and retried the next time.
 * @throws DockerError
 */
export async function renewCertificates(parts: RenewalParts): Promise<void> {
  for (const container of await listContainers(parts.docker, { [labels.role]: 'app' })) {
    if (!hasTls(container)) continue;
    const isUp = container.running && !container.restarting;
    await (isUp ? renew(parts, container) : repair(parts, container)).catch((error: unknown) =>
      parts.logger.warn(`the certificate of ${container.name} could not be renewed: ${messageOf(error)}`),
    );
  }
}

/** Only containers with the stable name: a container that a job has just created belongs to that job. */
function hasTls(container: ContainerFacts): boolean {
  const { name, labels: of } = container;
  return offersTls(container) && name === stableContainerName(of[labels.service] ?? '');
}

const namesOf = (tls: DatabaseTls, { labels: of }: ContainerFacts) =>
  tls.namesOf(namesSchema.parse(JSON.parse(of[labels.tlsNames] || '[]')));

async function renew(parts: RenewalParts, container: ContainerFacts): Promise<void> {
  const { docker, clock, logger } = parts;
  const tls = parts.tls.ofTenant(container.labels[labels.tenant]);
  const { id, name, address: host, labels: of } = container;
  if (host === null) return;
  const address = { host, port: Number(of[labels.port]) };
  const offered = await offeredCertificate(address);
  if (!offered) return logger.warn(`${name} offers no TLS: deploy the database again`);
  const names = await namesOf(tls, container);
  const now = clock.now();
  const isGood =
    isTrusted(offered, tls.authority(), now) && now < renewalDueAt(offered) && hasNames(offered, names);
  if (isGood) return;
  const renewed = await tls.reissue(of[labels.service] ?? '', names, offered.publicKey);
  await putFiles(docker, id, { [postgresTls.certificateFile]: renewed });
  // The driver takes megabytes and is needed only once in two months.
  const { reloadSettings } = await import('../engines/postgres/reload-settings.ts');
  await reloadSettings(address, await environmentOf(docker, id));
  logger.info(`the certificate of ${name} was renewed`);
}

/** Docker restarts the container on its own. */
async function repair(parts: RenewalParts, container: ContainerFacts): Promise<void> {
  const { docker, logger } = parts;
  const tls = parts.tls.ofTenant(container.labels[labels.tenant]);
  const { id, name, labels: of } = container;
  const database = {
    containerId: id,
    serviceId: of[labels.service] ?? '',
    names: await namesOf(tls, container),
  };
  if (await repairFiles({ docker, tls }, postgresTls, database))
    logger.info(`${name} could not start with its certificate, and has a new one`);
}
