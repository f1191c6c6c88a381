/** Sends the folder to the control plane, as the source of a service. */
import { openAsBlob } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProgress, size } from '../base/progress.ts';
import type { Session } from '../session.ts';
import type { FolderList } from './list-folder.ts';
import { type PackedFolder, packFolder } from './pack-folder.ts';
import { sendParts } from './send-parts.ts';
import { UnfinishedUpload } from './unfinished-upload.ts';

export interface FolderFile extends PackedFolder {
  /** Where the archive is stored until it is sent. */
  path: string;
}

/**
 * Packs the folder into a temporary file, which is deleted at the end.
 * @throws Failure (usage) if a file can't be read; what `use` throws
 */
export async function withPackedFolder<Result>(
  { directory, streams }: Session,
  list: FolderList,
  use: (packed: FolderFile) => Promise<Result>,
): Promise<Result> {
  const temporary = await mkdtemp(join(tmpdir(), 'longshore-up-'));
  const progress = createProgress(streams);
  try {
    const path = join(temporary, 'folder.tar.gz');
    const packed = await packFolder(directory, list.entries, path, (done) =>
      progress.show('Packing', { done, total: list.bytes, unit: 'bytes' }),
    );
    progress.end();
    return await use({ ...packed, path });
  } finally {
    progress.end();
    await rm(temporary, { recursive: true, force: true });
  }
}

/** @returns the id of the complete upload @throws UnfinishedUpload */
export async function uploadFolder(
  session: Session,
  serviceId: string,
  { path, sizeBytes, checksum }: FolderFile,
): Promise<string> {
  const { client, output } = session;
  const { upload } = await client.call('POST /api/services/:serviceId/uploads', {
    params: { serviceId },
    body: { sizeBytes, checksum },
  });
  if (upload.missing.length === 0) {
    output.progress('Nothing to send: this folder is stored already.');
    return upload.id;
  }
  await sendParts(session, await openAsBlob(path), upload, (counted, part, bytes) =>
    counted.call('PUT /api/services/:serviceId/uploads/:uploadId', {
      params: { serviceId, uploadId: upload.id },
      query: { part: String(part) },
      bytes,
    }),
  ).catch((error: Error) => {
    throw new UnfinishedUpload(error);
  });
  output.progress(`Sent ${size(sizeBytes)}`);
  return upload.id;
}
