import { stat } from 'node:fs/promises';
import type { HostRequestOf } from '../../protocol/host-request.ts';
import type { Logger } from '../base/logger.ts';
import { backupPath } from './backup-files.ts';
import { sendFile } from './send-file.ts';

export interface SendBackupParts {
  dataDirectory: string;
  controlPlaneUrl: string;
  logger: Pick<Logger, 'warn'>;
}

/**
 * Opens a backup's file and starts to send it; sending continues after the answer.
 * @throws Error with a sentence when the file is missing
 */
export async function answerSendBackup(
  { dataDirectory, controlPlaneUrl, logger }: SendBackupParts,
  { serviceId, backupId, transferId, transferToken, offset, end }: HostRequestOf<'send-backup'>,
): Promise<{ size: number }> {
  const path = backupPath(dataDirectory, serviceId, backupId);
  const found = await stat(path).catch(() => undefined);
  if (!found) throw new Error('The file of this backup is no longer on its host.');
  if (end > found.size) throw new Error('The file of this backup is shorter than when it was written.');
  sendFile({ controlPlaneUrl, transferId, transferToken, path, offset, end }).catch((error: unknown) => {
    logger.warn(`a download of ${backupId} ended early: ${String(error)}`);
  });
  return { size: found.size };
}
