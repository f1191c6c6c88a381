import type { DatabaseTlsAnswer } from '../../protocol/host-request.ts';
import { labels, stableContainerName } from '../../protocol/names.ts';
import type { Clock } from '../base/clock.ts';
import type { DockerHost } from '../docker/client.ts';
import { type ContainerFacts, inspectContainer } from '../docker/containers.ts';
import { isNotFound } from '../docker/docker-error.ts';
import { offersTls } from '../docker/offers-tls.ts';
import { offeredCertificate } from '../engines/postgres/offered-certificate.ts';
import type { HostDatabaseTls } from './database-tls.ts';
import { isTrusted } from './offered-tls.ts';

export interface DatabaseTlsAnswerParts {
  docker: DockerHost;
  tls: Pick<HostDatabaseTls, 'ofTenant'>;
  clock: Clock;
}

const none: DatabaseTlsAnswer = { active: false, authority: null };

/**
 * Tests whether clients can connect over TLS now, by a connection of its own.
 * @throws DockerError
 */
export async function answerDatabaseTls(
  { docker, tls, clock }: DatabaseTlsAnswerParts,
  { serviceId }: { serviceId: string },
): Promise<DatabaseTlsAnswer> {
  const container = await inspectContainer(docker, stableContainerName(serviceId)).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
  if (!container || container.labels[labels.instance] !== docker.instance) return none;
  if (!offersTls(container)) return none;
  const authority = tls.ofTenant(container.labels[labels.tenant]).authority();
  const offered = await offeredBy(container);
  return {
    active: offered !== undefined && isTrusted(offered, authority, clock.now()),
    authority: authority?.toString() ?? null,
  };
}

/** A server that does not answer offers no certificate. */
async function offeredBy({ running, address, labels: of }: ContainerFacts) {
  if (!running || address === null) return undefined;
  return await offeredCertificate({ host: address, port: Number(of[labels.port]) }).catch(() => undefined);
}
