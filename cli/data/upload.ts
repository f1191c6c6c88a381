/** Sends a file of any size into a database, in parts that can be repeated. */
import { createHash } from 'node:crypto';
import { createReadStream, openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Failure, usageFailure } from '../base/failure.ts';
import { createProgress } from '../base/progress.ts';
import { sendParts } from '../folder/send-parts.ts';
import type { Session } from '../session.ts';

/**
 * @param continued an interrupted upload: only its missing parts are sent
 * @returns the id of the complete upload
 * @throws Failure with the id of the upload to continue
 */
export async function uploadFile(
  session: Session,
  serviceId: string,
  path: string,
  continued?: string,
): Promise<string> {
  const { size: sizeBytes } = await stat(path).catch((error: Error) => {
    throw usageFailure(`${path} cannot be read: ${error.message}`);
  });
  const { client } = session;
  const id = continued ?? (await announce(session, serviceId, path, sizeBytes));
  const params = { serviceId, uploadId: id };
  const name = 'GET /api/services/:serviceId/database/uploads/:uploadId';
  const { upload } = await client.call(name, { params });
  if (upload.sizeBytes !== sizeBytes)
    throw usageFailure(
      `Upload ${id} belongs to another file: it has ${upload.sizeBytes} bytes, ${path} has ${sizeBytes}.`,
    );
  await sendParts(session, await openAsBlob(path), upload, (counted, part, bytes) =>
    counted.call('PUT /api/services/:serviceId/database/uploads/:uploadId', {
      params,
      query: { part: String(part) },
      bytes,
    }),
  ).catch((error: Error) => {
    throw new Failure(
      `${error.message}\nThe parts that arrived are kept for 24 hours. To send only the rest, repeat the command with --upload ${id}`,
    );
  });
  return id;
}

/** Creates the upload with size and digest, so that a damaged file is refused. */
async function announce({ client, streams }: Session, serviceId: string, path: string, sizeBytes: number) {
  const progress = createProgress(streams);
  const hash = createHash('sha256');
  let done = 0;
  for await (const chunk of createReadStream(path)) {
    hash.update(chunk as Buffer);
    done += (chunk as Buffer).length;
    progress.show('Reading', { done, total: sizeBytes, unit: 'bytes' });
  }
  progress.end();
  const { upload } = await client.call('POST /api/services/:serviceId/database/uploads', {
    params: { serviceId },
    body: { sizeBytes, checksum: `sha256:${hash.digest('hex')}` },
  });
  return upload.id;
}
