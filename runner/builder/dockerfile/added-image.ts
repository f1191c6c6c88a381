/**
 * Puts the files that a Dockerfile adds from elsewhere (URLs, here-documents) into an image from which steps can copy. The files are not in
 * the build's context.
 */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { pack } from 'tar-stream';
import { JobFailure } from '../../base/job-failure.ts';
import { type Guard, request } from '../../source/guarded-request.ts';
import { refused } from './refusal.ts';
import type { AddedFile } from './rewriting.ts';

/** Limit for all added files of one build together. */
const addedBytesMax = 2 ** 30;
const redirectsMax = 10;
const redirects = new Set([301, 302, 303, 307, 308]);

/** A file that was fetched or written. */
export interface StoredFile extends Pick<AddedFile, 'path' | 'mode'> {
  /** The file's path on the host. */
  place: string;
  modifiedAt: Date;
}

/**
 * Fetches and writes all added files below `directory`.
 * @returns the files, and a hash of their content
 * @throws JobFailure `source_refused`, `source_failed` with the line; the signal's reason
 */
export async function storeAdded(
  files: readonly AddedFile[],
  directory: string,
  guard: Guard,
): Promise<{ files: StoredFile[]; digest: string }> {
  await mkdir(directory, { recursive: true });
  const hash = createHash('sha256');
  const stored: StoredFile[] = [];
  let left = addedBytesMax;
  for (const [index, { path, mode, source }] of files.entries()) {
    const place = join(directory, String(index));
    hash.update(JSON.stringify([path, mode]));
    if (source.type === 'text') {
      await writeFile(place, source.text);
      hash.update(source.text);
      stored.push({ path, mode, place, modifiedAt: new Date(0) });
      continue;
    }
    const { digest, bytes, modifiedAt } = await download(source, place, left, guard);
    left -= bytes;
    hash.update(digest);
    stored.push({ path, mode, place, modifiedAt });
  }
  return { files: stored, digest: hash.digest('hex') };
}

/** The files as a tar stream of one layer. */
export async function* packAdded(files: readonly StoredFile[]): AsyncGenerator<Buffer> {
  const archive = pack();
  const filled = fill(archive, files).catch((error: unknown) => archive.destroy(error as Error));
  for await (const chunk of archive) yield chunk as Buffer;
  await filled;
}

async function fill(archive: ReturnType<typeof pack>, files: readonly StoredFile[]): Promise<void> {
  for (const { path, mode, place, modifiedAt } of files) {
    const { size } = await stat(place);
    await pipeline(createReadStream(place), archive.entry({ name: path, mode, size, mtime: modifiedAt }));
  }
  archive.finalize();
}

type Download = Extract<AddedFile['source'], { type: 'url' }>;

async function download(
  { url, checksum, line }: Download,
  place: string,
  bytesMax: number,
  guard: Guard,
): Promise<{ digest: string; bytes: number; modifiedAt: Date }> {
  const { body, headers } = await follow(url, line, guard);
  const hash = createHash('sha256');
  let bytes = 0;
  const counted = new Transform({
    transform(chunk: Buffer, _, done) {
      bytes += chunk.length;
      hash.update(chunk);
      done(bytes > bytesMax ? tooLarge(url, line) : null, chunk);
    },
  });
  try {
    await pipeline(body, counted, createWriteStream(place), { signal: guard.signal });
  } catch (cause) {
    guard.signal.throwIfAborted();
    if (cause instanceof JobFailure) throw cause;
    throw new JobFailure(
      'source_failed',
      `Dockerfile, line ${line}: the download of ${url.href} was interrupted.`,
      { cause },
    );
  }
  const digest = hash.digest('hex');
  if (checksum !== null && checksum !== `sha256:${digest}`)
    throw refused(line, `${url.href} has the checksum sha256:${digest}, which differs from --checksum.`);
  return { digest, bytes, modifiedAt: new Date(Date.parse(headers['last-modified'] ?? '') || 0) };
}

/** Resolves, checks and pins each redirect separately. */
async function follow(url: URL, line: number, guard: Guard): ReturnType<typeof request> {
  let at = url;
  const asking: Guard = { ...guard, allowHttp: true, asker: `Line ${line} of the Dockerfile` };
  for (let hop = 0; hop <= redirectsMax; hop += 1) {
    const answer = await request(asking, at.href, {
      method: 'GET',
      headers: { 'accept-encoding': 'identity' },
    });
    if (answer.status === 200) return answer;
    answer.body.destroy();
    const next = redirects.has(answer.status) ? URL.parse(answer.headers.location ?? '', at.href) : null;
    if (!next) {
      throw new JobFailure(
        'source_failed',
        `Dockerfile, line ${line}: ${at.href} answers with status ${answer.status}.`,
      );
    }
    at = next;
  }
  throw new JobFailure('source_failed', `Dockerfile, line ${line}: ${url.href} redirects in a circle.`);
}

const tooLarge = (url: URL, line: number) =>
  refused(
    line,
    `${url.href} and the other added files are together larger than ${addedBytesMax / 2 ** 30} GB; download it in a RUN step.`,
  );
