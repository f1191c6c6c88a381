/** Sends a file's bytes to a waiting transfer, in parts because a request's body is limited. Each part starts at the end of the last one. */
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { runnerPaths } from '../../protocol/enrolment.ts';
import type { ChunkCipher } from './encryption/age-format.ts';
import { putFile } from './put-file.ts';

/** Below the 100 MB limit for a request body on the free plan. https://developers.cloudflare.com/workers/platform/limits/ */
const partBytesMax = 64 * 1024 * 1024;
const triesMax = 5;
const retryMs = 500;
/** Status code: the client has disconnected. */
const clientClosedRequest = 499;

const replySchema = z.object({ offset: z.number().int().nonnegative() });

export interface FileTransfer {
  controlPlaneUrl: string;
  transferId: string;
  transferToken: string;
  path: string;
  /** Decrypts the file. Absent: its stored bytes are sent. */
  cipher?: ChunkCipher | undefined;
  /** Bytes from `offset` up to `end`, exclusive. */
  offset: number;
  end: number;
  signal?: AbortSignal;
}

/** @returns false when the client disconnected before the end @throws Error after several tries without an answer */
export async function sendFile(transfer: FileTransfer): Promise<boolean> {
  const { offset: from, end } = transfer;
  let passed = 0;
  for (let tries = 1; passed < end - from; ) {
    const before = passed;
    const answer = await sendPart(transfer, passed).catch((error: unknown) => {
      if (tries >= triesMax) throw error;
      return undefined;
    });
    if (answer === 'client left') return false;
    if (answer !== undefined) passed = answer;
    if (passed > before) tries = 1;
    else {
      if (tries++ >= triesMax)
        throw new Error(`The control plane stopped taking data of ${transfer.transferId}.`);
      await delay(retryMs);
    }
  }
  return true;
}

/** @param passed bytes already accepted @returns bytes accepted after this part */
async function sendPart(transfer: FileTransfer, passed: number): Promise<number | 'client left'> {
  const { controlPlaneUrl, transferId, transferToken, path, cipher, offset, end, signal } = transfer;
  const start = offset + passed;
  const length = Math.min(partBytesMax, end - start);
  const url = new URL(runnerPaths.transfer, controlPlaneUrl);
  url.search = new URLSearchParams({ transfer: transferId, offset: String(passed) }).toString();
  const headers = { authorization: `Bearer ${transferToken}` };
  const { status, body } = await putFile(url, { path, start, length, cipher }, { headers, signal });
  if (status === clientClosedRequest) return 'client left';
  const reply = replySchema.safeParse(body);
  if (reply.success) return reply.data.offset;
  throw new Error(`The control plane answered ${status} to a part of ${transferId}.`);
}
