/** Sends the folder to the control plane, as the source of a service. */
import { openAsBlob } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Failure } from '../base/failure.ts';
import { createProgress, size } from '../base/progress.ts';
import type { Session } from '../session.ts';
import type { FolderList } from './list-folder.ts';
import { packFolder } from './pack-folder.ts';
import { sendParts } from './send-parts.ts';

/** @returns the id of the complete upload @throws Failure (usage) if a file can't be read; Failure that says how to go on */
export async function uploadFolder(session: Session, serviceId: string, list: FolderList): Promise<string> {
  const { client, directory, output, streams } = session;
  const temporary = await mkdtemp(join(tmpdir(), 'longshore-up-'));
  const progress = createProgress(streams);
  try {
    const path = join(temporary, 'folder.tar.gz');
    const packed = await packFolder(directory, list.entries, path, (done) =>
      progress.show('Packing', { done, total: list.bytes, unit: 'bytes' }),
    );
    progress.end();
    const { upload } = await client.call('POST /api/services/:serviceId/uploads', {
      params: { serviceId },
      body: packed,
    });
    if (upload.missing.length === 0) output.progress('Nothing to send: this folder is stored already.');
    else {
      await sendParts(session, await openAsBlob(path), upload, (counted, part, bytes) =>
        counted.call('PUT /api/services/:serviceId/uploads/:uploadId', {
          params: { serviceId, uploadId: upload.id },
          query: { part: String(part) },
          bytes,
        }),
      ).catch((error: Error) => {
        throw new Failure(
          `${error.message}\nThe parts that arrived are kept for 24 hours. To send only the rest: longshore up`,
        );
      });
      output.progress(`Sent ${size(packed.sizeBytes)}`);
    }
    return upload.id;
  } finally {
    progress.end();
    await rm(temporary, { recursive: true, force: true });
  }
}
