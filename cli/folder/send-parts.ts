/** Sends a file in parts that can be repeated, and shows progress byte by byte. */

import type { LongshoreClient } from '../../client/client.ts';
import { createProgress } from '../base/progress.ts';
import { clientOf, patiently, type Session } from '../session.ts';

export interface Parts {
  /** Size of every part except the last. */
  partBytes: number;
  parts: number;
  /** Numbers of the parts to send. */
  missing: number[];
}

/** @param send sends one part, with the client that counts its bytes */
export async function sendParts(
  { context, output, streams }: Session,
  file: Blob,
  { partBytes, parts, missing }: Parts,
  send: (client: LongshoreClient, part: number, bytes: Blob) => Promise<unknown>,
): Promise<void> {
  const progress = createProgress(streams);
  const bytesOf = (part: number) => (part === parts ? file.size - (parts - 1) * partBytes : partBytes);
  let done = file.size - missing.reduce((sum, part) => sum + bytesOf(part), 0);
  const show = (sent: number) =>
    progress.show('Uploading', { done: done + sent, total: file.size, unit: 'bytes' });
  try {
    for (const part of missing) {
      const bytes = file.slice((part - 1) * partBytes, part * partBytes);
      const client = clientOf(context, show);
      await patiently(() => send(client, part, bytes), output);
      done += bytes.size;
      show(0);
    }
  } finally {
    progress.end();
  }
}
