/** The control plane's API, as the rounds use it. */
import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { access } from '../hosts.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers of an API under test
export type Json = any;

const timeoutMs = 30_000;

/** @param key of a member or tenant; absent: the lab's own @throws Error with the answer when it is not 2xx */
export async function api(method: string, path: string, body?: unknown, key?: string): Promise<Json> {
  const { url, apiKey, operatorToken } = access();
  const token = key ?? (path.startsWith('/api/system') ? operatorToken : apiKey);
  const response = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body instanceof Uint8Array || body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined
      ? {}
      : { body: body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body) }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`);
  return text === '' ? {} : JSON.parse(text);
}

/** Sends files as the folder of a service. @returns its id */
export async function upload(
  serviceId: string,
  files: Record<string, string>,
  key?: string,
): Promise<string> {
  const archive = pack();
  for (const [name, text] of Object.entries(files)) archive.entry({ name, mtime: new Date(0) }, text);
  archive.finalize();
  const bytes = gzipSync(await buffer(archive));
  const checksum = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  const uploads = `/api/services/${serviceId}/uploads`;
  const { upload: begun } = await api('POST', uploads, { sizeBytes: bytes.length, checksum }, key);
  for (const part of begun.missing) await api('PUT', `${uploads}/${begun.id}?part=${part}`, bytes, key);
  return begun.id;
}
