/** Sends a packed folder as the source of a service, in parts. */
import { api, ToldError } from '../../../../api/client.ts';
import { patiently } from '../../../../api/patiently.ts';
import { uploadClient } from '../../../../api/upload-client.ts';
import { folderText } from './folder-text.ts';

/** @param onSent the share that was sent, 0 to 1 @returns the id of the upload, for its deployment */
export async function sendFolder(
  serviceId: string,
  archive: Blob,
  onSent: (share: number) => void,
): Promise<string> {
  if (!crypto.subtle) throw new ToldError(folderText.notHere);
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await archive.arrayBuffer()));
  const checksum = `sha256:${Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
  const { upload } = await api.call('POST /api/services/:serviceId/uploads', {
    params: { serviceId },
    body: { sizeBytes: archive.size, checksum },
  });
  let done = 0;
  for (const part of upload.missing) {
    const bytes = archive.slice((part - 1) * upload.partBytes, part * upload.partBytes);
    const client = uploadClient((sent) => onSent((done + sent) / archive.size));
    await patiently(new AbortController().signal, () =>
      client.call('PUT /api/services/:serviceId/uploads/:uploadId', {
        params: { serviceId, uploadId: upload.id },
        query: { part: String(part) },
        bytes,
      }),
    );
    done += bytes.size;
  }
  onSent(1);
  return upload.id;
}
