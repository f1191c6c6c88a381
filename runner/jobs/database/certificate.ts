/** The needs of a database's container to offer TLS. If that fails, a new database starts without TLS; an existing one keeps its certificate. */

import { JobFailure } from '../../base/job-failure.ts';
import { certificateFiles } from '../../database-tls/repair-files.ts';
import { deploymentLabels } from '../../docker/client.ts';
import type { OwnedFile } from '../../docker/container-files.ts';
import { imageUser } from '../../docker/users.ts';
import type { EngineTls } from '../../engines/engine.ts';
import type { DatabaseAttempt } from './wait-until-serving.ts';

export interface DatabaseCertificate {
  /** Files by absolute path. */
  files: Record<string, OwnedFile>;
  /** Further arguments of the engine. */
  command: string[];
  /** The names in the certificate, without those of every database. */
  names: string[];
}

/**
 * Creates a new key and certificate for each deployment.
 * @param isOffered true if the old container offers TLS, so that clients may rely on it
 * @returns `undefined` to start without TLS
 * @throws JobFailure `start_failed` when clients that rely on TLS would lose it; the signal's reason
 */
export async function makeCertificate(
  attempt: DatabaseAttempt,
  image: string,
  isOffered: boolean,
): Promise<DatabaseCertificate | undefined> {
  const { made, context } = attempt;
  if (!made.tls) return undefined;
  try {
    return await certificateFor(attempt, made.tls, image);
  } catch (error) {
    context.signal.throwIfAborted();
    const reason = error instanceof Error ? error.message : String(error);
    if (!isOffered) {
      context.log.line('system', `Warning: the database will offer no TLS. ${reason}`);
      return undefined;
    }
    throw new JobFailure(
      'start_failed',
      `The new container could not offer TLS, which clients may rely on; the old container keeps running. ${reason}`,
      { cause: error },
    );
  }
}

async function certificateFor(
  { parts, spec, source, context }: DatabaseAttempt,
  tls: EngineTls,
  image: string,
): Promise<DatabaseCertificate> {
  const helper = deploymentLabels(parts.docker, { ...spec, epoch: context.epoch }, 'build');
  const owner = await imageUser(parts.docker, { image, labels: helper }, tls.user, context.signal);
  if (!owner) throw new Error(`The image has no user "${tls.user}" to own the key.`);
  const names = [spec.serviceSlug, ...(source.publicNames ?? [])];
  const databaseTls = parts.databaseTls.ofTenant(spec.tenantId);
  const issued = await databaseTls.issue(spec.serviceId, await databaseTls.namesOf(names));
  return { files: certificateFiles(tls, issued, owner), command: tls.command, names };
}
