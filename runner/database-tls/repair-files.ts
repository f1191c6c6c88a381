/**
 * Docker writes files into a container without a flush: after a power cut, or a crash of the server in that very moment, its certificate
 * may be half of one. With that a server does not start, and nobody else would notice.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { DockerHost } from '../docker/client.ts';
import { type OwnedFile, putFiles, readContainerFile } from '../docker/container-files.ts';
import { containerUser } from '../docker/users.ts';
import type { EngineTls } from '../engines/engine.ts';
import type { DatabaseTls } from './database-tls.ts';

/** What the files of a certificate and its key are in a container. */
export function certificateFiles(
  { certificateFile, keyFile }: EngineTls,
  { key, certificate }: { key: string; certificate: string },
  owner: OwnedFile['owner'],
): Record<string, OwnedFile> {
  return {
    [certificateFile]: { text: certificate, owner, mode: 0o644 },
    [keyFile]: { text: key, owner, mode: 0o600 },
  };
}

/**
 * Gives a server that does not run a new key and certificate if it could not start with those that it has.
 * @returns whether it could not
 * @throws DockerError
 */
export async function repairFiles(
  { docker, tls }: { docker: DockerHost; tls: DatabaseTls },
  files: EngineTls,
  { containerId, serviceId, names }: { containerId: string; serviceId: string; names: readonly string[] },
): Promise<boolean> {
  const certificate = await readContainerFile(docker, containerId, files.certificateFile);
  const key = await readContainerFile(docker, containerId, files.keyFile);
  if (belongTogether(certificate, key)) return false;
  const owner = await containerUser(docker, containerId, files.user);
  if (!owner) throw new Error(`the container has no user "${files.user}"`);
  await putFiles(docker, containerId, certificateFiles(files, await tls.issue(serviceId, names), owner));
  return true;
}

function belongTogether(certificate: string | undefined, key: string | undefined): boolean {
  try {
    return new X509Certificate(certificate ?? '').checkPrivateKey(createPrivateKey(key ?? ''));
  } catch {
    return false;
  }
}
