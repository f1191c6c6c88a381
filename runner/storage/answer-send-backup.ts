import { stat } from 'node:fs/promises';
import { plainBytesOf } from '../../protocol/backup-encryption.ts';
import type { HostRequestOf } from '../../protocol/host-request.ts';
import type { Logger } from '../base/logger.ts';
import { backupPath } from './backup-files.ts';
import { cipherOf } from './encryption/plain-pieces.ts';
import { sendFile } from './send-file.ts';

export interface SendBackupParts {
  dataDirectory: string;
  controlPlaneUrl: string;
  openIdentity: (sealed: string) => string;
  logger: Pick<Logger, 'warn'>;
}

/**
 * Opens a backup's file and starts to send it; sending continues after the answer.
 * @throws Error with a sentence when the file is missing, or is not encrypted with the key of the request
 */
export async function answerSendBackup(
  { dataDirectory, controlPlaneUrl, openIdentity, logger }: SendBackupParts,
  {
    serviceId,
    backupId,
    transferId,
    transferToken,
    offset,
    end,
    sealedIdentity,
  }: HostRequestOf<'send-backup'>,
): Promise<{ size: number }> {
  const path = backupPath(dataDirectory, serviceId, backupId);
  const found = await stat(path).catch(() => undefined);
  if (!found) throw new Error('The file of this backup is no longer on its host.');
  const cipher =
    sealedIdentity === undefined ? undefined : await cipherOf(path, openIdentity(sealedIdentity));
  const size = cipher ? plainBytesOf(found.size) : found.size;
  if (end > size) throw new Error('The file of this backup is shorter than when it was written.');
  sendFile({ controlPlaneUrl, transferId, transferToken, path, cipher, offset, end }).catch(
    (error: unknown) => {
      logger.warn(`a download of ${backupId} ended early: ${String(error)}`);
    },
  );
  return { size };
}
