/**
 * Docker writes files into a container without a flush: after a power cut, or a crash of the server at that moment, the certificate may
 * be incomplete. The server then does not start, and nothing else would repair it.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { DockerHost } from '../docker/client.ts';
import { type OwnedFile, putFiles, readContainerFile } from '../docker/container-files.ts';
import { containerUser } from '../docker/users.ts';
import type { EngineTls } from '../engines/engine.ts';
import type { DatabaseTls } from './database-tls.ts';

/** The files of a certificate and its key, with their paths and owner in a container. */
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
 * Gives a stopped server a new key and certificate if it could not start with its current ones.
 * @returns true if the files were replaced
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
