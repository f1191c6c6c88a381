/** Sends requests about the copy of a backup in the control plane's bucket (protocol/backup-copy), and retries them while that can help. */
import type { z } from 'zod';
import { copyPartBytes } from '../../protocol/backup-copy.ts';
import { runnerPaths } from '../../protocol/enrolment.ts';
import { backoffMs } from '../base/backoff.ts';
import { pause, systemClock } from '../base/clock.ts';
import { type FilePart, type PutAnswer, putFile } from './put-file.ts';

export interface CopyAccess {
  controlPlaneUrl: string;
  jobId: string;
  /** Valid only for this attempt (DeploySecrets.transferToken). */
  token: string;
  signal: AbortSignal;
  /** Waits before the next try. @param failures in a row, from 1 */
  wait(failures: number): Promise<void>;
}

/** The control plane refused, and would refuse again. */
export class CopyRefused extends Error {
  override readonly name = 'CopyRefused';
}

interface CopyRequest {
  method: string;
  path: string;
  /** Query parameters in addition to the job. `null` if the body contains the job. */
  query?: Record<string, string> | null;
  headers?: Record<string, string>;
  body?: string;
  /** The body of a PUT, instead of `body`. */
  file?: FilePart;
}

export const triesMax = 5;
const waits = { minMs: 500, maxMs: 15_000 };
/** Enough time for one part at 0.9 Mbit/s. */
const requestTimeoutMs = 10 * 60_000;

export function copyAccess(of: Omit<CopyAccess, 'wait'>): CopyAccess {
  return {
    ...of,
    wait: (failures) => pause(systemClock, backoffMs(failures - 1, waits, Math.random()), of.signal),
  };
}

/** @throws CopyRefused; the last try's error; the signal's reason */
export async function askForCopy<Answer>(
  access: CopyAccess,
  request: CopyRequest,
  schema: z.ZodType<Answer>,
): Promise<Answer> {
  for (let failures = 0; ; ) {
    try {
      return schema.parse(await (await send(access, request)).json());
    } catch (error) {
      await waitOrThrow(access, error, ++failures);
    }
  }
}

/**
 * The bytes of the object; after an error it resumes where the last try ended.
 * @throws CopyRefused when the object is missing or has another size; otherwise the errors of `askForCopy`
 */
export async function* readCopy(access: CopyAccess, sizeBytes: number): AsyncGenerator<Uint8Array> {
  for (let offset = 0, failures = 0; offset < sizeBytes; ) {
    const before = offset;
    try {
      for await (const chunk of await openCopy(access, offset, sizeBytes)) {
        offset += chunk.length;
        yield chunk;
      }
      if (offset === before) throw new Error('The control plane sent no data of the copy.');
      failures = 0;
    } catch (error) {
      if (offset > before) failures = 0;
      await waitOrThrow(access, error, ++failures);
    }
  }
}

async function openCopy(access: CopyAccess, offset: number, sizeBytes: number) {
  const last = Math.min(offset + copyPartBytes, sizeBytes) - 1;
  const headers = { range: `bytes=${offset}-${last}` };
  const { body, headers: received } = await send(access, { method: 'GET', path: runnerPaths.copy, headers });
  const expected = `bytes ${offset}-${last}/${sizeBytes}`;
  const given = received.get('content-range');
  if (given !== expected || !body) {
    await body?.cancel();
    throw new CopyRefused(
      `The copy does not have the size of the backup: got ${given} instead of ${expected}.`,
    );
  }
  return body;
}

async function send(access: CopyAccess, { method, path, query, headers, body, file }: CopyRequest) {
  const url = new URL(path, access.controlPlaneUrl);
  if (query !== null) url.search = new URLSearchParams({ job: access.jobId, ...query }).toString();
  const request = {
    headers: { authorization: `Bearer ${access.token}`, ...headers },
    signal: AbortSignal.any([access.signal, AbortSignal.timeout(requestTimeoutMs)]),
  };
  const response = file
    ? asResponse(await putFile(url, file, request))
    : await fetch(url, { ...request, method, ...(body === undefined ? {} : { body }) });
  if (response.ok) return response;
  const why = await sentenceIn(response);
  if (response.status < 500 && response.status !== 429) throw new CopyRefused(why);
  throw new Error(why);
}

const asResponse = ({ status, body }: PutAnswer) => new Response(JSON.stringify(body), { status });

async function sentenceIn(response: Response): Promise<string> {
  const body: unknown = await response.json().catch(() => null);
  const message = typeof body === 'object' && body !== null && 'error' in body ? body.error : null;
  return typeof message === 'string' ? message : `The control plane answered ${response.status}.`;
}

async function waitOrThrow(access: CopyAccess, error: unknown, failures: number): Promise<void> {
  access.signal.throwIfAborted();
  if (error instanceof CopyRefused || failures >= triesMax) throw error;
  await access.wait(failures);
  access.signal.throwIfAborted();
}
