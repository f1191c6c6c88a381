/**
 * Uploads of files into databases. They continue while the user looks at other pages. The control plane keeps the received parts for 24 hours, so
 * after a lost connection or a closed tab, choosing the same file again sends only the missing parts.
 */
import { createStore } from 'solid-js/store';
import { LongshoreError } from '../../../../../client/client.ts';
import { api, sentenceOf } from '../../../../api/client.ts';
import { patiently } from '../../../../api/patiently.ts';
import { queries } from '../../../../api/query-client.ts';
import { keptPrefix } from '../../../../api/session.ts';
import { uploadClient } from '../../../../api/upload-client.ts';

export interface Upload {
  file: File;
  replace: boolean;
  /** `stopped`: by the user or by a failure; can continue. `waiting`: the server refused the import because data would be lost. */
  state: 'reading' | 'sending' | 'stopped' | 'waiting';
  sentBytes: number;
  /** Bytes that an earlier attempt has sent. */
  resumedBytes: number;
  failure: string;
}

/** For larger files no digest is computed, because it would need the whole file in memory. */
const digestMax = 128 * 1024 ** 2;

const [uploads, setUploads] = createStore<Record<string, Upload | undefined>>({});
const stops = new Map<string, AbortController>();

/** The current upload into this database. */
export const uploadOf = (serviceId: string): Upload | undefined => uploads[serviceId];
const isSending = () =>
  Object.values(uploads).some((one) => one?.state === 'sending' || one?.state === 'reading');

window.addEventListener('beforeunload', (event) => {
  if (isSending()) event.preventDefault();
});

/** Sends the file, or its missing parts, and starts the import. Does nothing while an upload is running. */
export async function sendFile(serviceId: string, file: File, replace: boolean): Promise<void> {
  const { state } = uploads[serviceId] ?? {};
  if (state === 'sending' || state === 'reading') return;
  const stop = new AbortController();
  stops.set(serviceId, stop);
  const change = (part: Partial<Upload>) => {
    if (!stop.signal.aborted || part.state === 'stopped')
      setUploads(serviceId, (now) => now && { ...now, ...part });
  };
  setUploads(serviceId, { file, replace, state: 'reading', sentBytes: 0, resumedBytes: 0, failure: '' });
  try {
    const upload = (await known(serviceId, file)) ?? (await announced(serviceId, file));
    const uploadId = upload.id;
    keep(serviceId, { uploadId, ...marksOf(file) });
    await sendParts(serviceId, file, upload, stop.signal, change);
    const body = { uploadId, replace };
    await api.call('POST /api/services/:serviceId/database/import/file', { params: { serviceId }, body });
    forget(serviceId);
    await queries.invalidateQueries({ queryKey: ['imports', serviceId] });
  } catch (error) {
    const isRefused = error instanceof LongshoreError && /"replace": true/.test(error.message);
    change(
      isRefused
        ? { state: 'waiting' }
        : { state: 'stopped', failure: stop.signal.aborted ? '' : sentenceOf(error) },
    );
  }
}

export const stopUpload = (serviceId: string): void => stops.get(serviceId)?.abort();

/** Removes the upload and its received parts. */
export async function discardUpload(serviceId: string): Promise<void> {
  stopUpload(serviceId);
  const uploadId = kept(serviceId)?.uploadId;
  forget(serviceId);
  if (uploadId === undefined) return;
  const params = { serviceId, uploadId };
  await api.call('DELETE /api/services/:serviceId/database/uploads/:uploadId', { params }).catch(() => {});
}

interface Announced {
  id: string;
  partBytes: number;
  parts: number;
  missing: readonly number[];
}

async function announced(serviceId: string, file: File): Promise<Announced> {
  const checksum = await checksumOf(file);
  const { upload } = await api.call('POST /api/services/:serviceId/database/uploads', {
    params: { serviceId },
    body: { sizeBytes: file.size, ...(checksum === undefined ? {} : { checksum }) },
  });
  return { ...upload, missing: Array.from({ length: upload.parts }, (_, at) => at + 1) };
}

/** Finds an interrupted upload of the same file. */
async function known(serviceId: string, file: File): Promise<Announced | undefined> {
  const before = kept(serviceId);
  const marks = marksOf(file);
  if (
    before?.name !== marks.name ||
    before.sizeBytes !== marks.sizeBytes ||
    before.modified !== marks.modified
  )
    return undefined;
  try {
    const params = { serviceId, uploadId: before.uploadId };
    const { upload } = await api.call('GET /api/services/:serviceId/database/uploads/:uploadId', { params });
    return upload.sizeBytes === file.size ? upload : undefined;
  } catch (error) {
    // The upload has expired, or an import has used it.
    if (error instanceof LongshoreError && error.status < 500) return undefined;
    throw error;
  }
}

async function sendParts(
  serviceId: string,
  file: File,
  { id, partBytes, missing }: Announced,
  signal: AbortSignal,
  change: (part: Partial<Upload>) => void,
): Promise<void> {
  const partOf = (part: number) => file.slice((part - 1) * partBytes, part * partBytes);
  let done = file.size - missing.reduce((sum, part) => sum + partOf(part).size, 0);
  change({ state: 'sending', sentBytes: done, resumedBytes: done });
  const client = uploadClient((bytes) => change({ sentBytes: Math.min(file.size, done + bytes) }));
  for (const part of missing) {
    await patiently(signal, () =>
      client.call('PUT /api/services/:serviceId/database/uploads/:uploadId', {
        params: { serviceId, uploadId: id },
        query: { part: String(part) },
        bytes: partOf(part),
        signal,
      }),
    );
    done += partOf(part).size;
    change({ sentBytes: done });
  }
}

/** @returns undefined for a large file, and if the page has no `crypto.subtle` (over http, except on this machine) */
async function checksumOf(file: File): Promise<string | undefined> {
  if (file.size > digestMax || !crypto.subtle) return undefined;
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await file.arrayBuffer()));
  return `sha256:${Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

interface Kept {
  uploadId: string;
  name: string;
  sizeBytes: number;
  modified: number;
}

const marksOf = ({ name, size, lastModified }: File) => ({ name, sizeBytes: size, modified: lastModified });
const keyOf = (serviceId: string) => `${keptPrefix}upload-${serviceId}`;
const keep = (serviceId: string, upload: Kept) =>
  localStorage.setItem(keyOf(serviceId), JSON.stringify(upload));

function kept(serviceId: string): Kept | undefined {
  try {
    return JSON.parse(localStorage.getItem(keyOf(serviceId)) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}

function forget(serviceId: string): void {
  localStorage.removeItem(keyOf(serviceId));
  setUploads(serviceId, undefined);
}
