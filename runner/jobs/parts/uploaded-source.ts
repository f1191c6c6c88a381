/** The source of a service that is built from an uploaded folder: downloaded from the control plane's bucket and unpacked. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { DeploySource } from '../../../protocol/sources/deploy-source.ts';
import { JobFailure } from '../../base/job-failure.ts';
import { unpackFolder } from '../../source/unpack-folder.ts';
import { CopyRefused, copyAccess, readCopy } from '../../storage/copy-requests.ts';
import type { Attempt } from './attempt.ts';
import { workDirectory } from './remove-attempt.ts';

export type UploadSource = Extract<DeploySource, { type: 'upload' }>;

/**
 * @returns the directory of the files
 * @throws JobFailure `source_refused`, `source_damaged`, `source_failed`; the signal's reason
 */
export async function fetchFolder(attempt: Attempt, { sizeBytes, checksum }: UploadSource): Promise<string> {
  const { parts, spec, secrets, context } = attempt;
  const { log, signal, jobId } = context;
  if (secrets.transferToken === undefined)
    throw new JobFailure(
      'internal',
      'The control plane sent no token for the uploaded folder: deploy again.',
    );
  log.line('system', `Fetching the uploaded folder, ${inMegabytes(sizeBytes)}, ${checksum}`);
  const { controlPlaneUrl } = parts;
  const access = copyAccess({ controlPlaneUrl, jobId, token: secrets.transferToken, signal });
  const directory = join(workDirectory(parts.dataDirectory, spec.deploymentId), 'tree');
  const digest = createHash('sha256');
  const archive = digested(downloaded(readCopy(access, sizeBytes), signal), digest);
  const { files, bytes } = await unpackFolder({ archive, directory, signal });
  const given = `sha256:${digest.digest('hex')}`;
  if (given !== checksum)
    throw new JobFailure(
      'source_damaged',
      `The uploaded folder has the checksum ${given}, not ${checksum} as announced: upload it again.`,
    );
  log.line('system', `Unpacked ${files} files, ${inMegabytes(bytes)}`);
  return directory;
}

async function* digested(chunks: AsyncIterable<Uint8Array>, digest: ReturnType<typeof createHash>) {
  for await (const chunk of chunks) {
    digest.update(chunk);
    yield chunk;
  }
}

async function* downloaded(chunks: AsyncIterable<Uint8Array>, signal: AbortSignal) {
  try {
    yield* chunks;
  } catch (error) {
    signal.throwIfAborted();
    const again = error instanceof CopyRefused ? 'Upload it again.' : 'Deploy again.';
    throw new JobFailure(
      'source_failed',
      `The uploaded folder could not be downloaded from the control plane: ${error instanceof Error ? error.message : String(error)} ${again}`,
      { cause: error },
    );
  }
}

const inMegabytes = (bytes: number) => (bytes < 1e5 ? `${bytes} bytes` : `${(bytes / 1e6).toFixed(1)} MB`);
