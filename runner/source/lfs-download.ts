/** The batch API of Git LFS (https://github.com/git-lfs/git-lfs/blob/main/docs/api/batch.md) with the "basic" transfer. */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { JobFailure } from '../base/job-failure.ts';
import type { Fetching } from './fetch-tree.ts';
import { type GitLogin, loginFor, whyNoLogin } from './git-login.ts';
import { request } from './guarded-request.ts';
import type { RepositoryUrl } from './repository-url.ts';

/** GitHub's limit per request. */
const batchMax = 100;
const answerBytesMax = 1024 * 1024;
const mediaType = 'application/vnd.git-lfs+json';

const headersSchema = z.record(z.string(), z.string()).optional();
const batchSchema = z.object({
  objects: z.array(
    z.object({
      oid: z.string(),
      actions: z
        .object({ download: z.object({ href: z.string(), header: headersSchema }).optional() })
        .optional(),
      error: z.object({ code: z.number(), message: z.string() }).optional(),
    }),
  ),
});
type Download = { href: string; header?: Record<string, string> | undefined };

/**
 * Downloads files and verifies each one's SHA-256 before it is passed on.
 * @param place moves a file to its place
 * @throws JobFailure `source_refused`, `source_failed`; the signal's reason
 */
export async function downloadObjects(
  fetching: Fetching,
  repository: RepositoryUrl,
  files: readonly LargeFile[],
  place: (file: LargeFile, temporary: string) => Promise<void>,
): Promise<void> {
  if (repository.protocol === 'ssh') {
    throw new JobFailure(
      'source_refused',
      `Files of Git LFS are fetched only by https: give the service the https URL of ${repository.url} and store an access token, or set GIT_LFS=false.`,
    );
  }
  const directory = join(fetching.home, 'lfs');
  await mkdir(directory, { recursive: true });
  for (let at = 0; at < files.length; at += batchMax) {
    const batch = files.slice(at, at + batchMax);
    const downloads = await askForBatch(fetching, repository, batch);
    for (const file of batch) {
      const temporary = join(directory, file.oid);
      await downloadOne(fetching, downloads(file), file, temporary);
      await place(file, temporary);
    }
  }
}

async function askForBatch(
  fetching: Fetching,
  repository: RepositoryUrl,
  files: readonly LargeFile[],
): Promise<(file: LargeFile) => Download> {
  const url = `${repository.url.replace(/\/+$/, '').replace(/(\.git)?$/, '.git')}/info/lfs/objects/batch`;
  const body = JSON.stringify({
    operation: 'download',
    transfers: ['basic'],
    objects: files.map(({ oid, bytes }) => ({ oid, size: bytes })),
  });
  const login = loginFor(fetching, repository);
  const headers = {
    accept: mediaType,
    'content-type': mediaType,
    ...(login ? { authorization: basic(login) } : {}),
  };
  const answer = await request(fetching, url, { method: 'POST', headers, body });
  const text = await textOf(answer.body);
  if (answer.status !== 200) throw refusedBatch(fetching.main, repository, answer.status, login);
  const { objects } = readBatch(repository, text);
  const byOid = new Map(objects.map((object) => [object.oid, object]));
  return (file) => {
    const object = byOid.get(file.oid);
    const download = object?.actions?.download;
    if (download) return download;
    throw failed(file, object?.error?.message ?? 'the server does not have it');
  };
}

function readBatch(repository: RepositoryUrl, text: string): z.infer<typeof batchSchema> {
  try {
    return batchSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw new JobFailure('source_failed', `The LFS server of ${repository.url} sent an invalid answer.`, {
      cause,
    });
  }
}

async function downloadOne(
  fetching: Fetching,
  { href, header = {} }: Download,
  file: LargeFile,
  temporary: string,
): Promise<void> {
  const { status, body } = await request(fetching, href, { method: 'GET', headers: header });
  if (status !== 200) {
    body.destroy();
    throw failed(file, `the server answers with status ${status}`);
  }
  const hash = createHash('sha256');
  let bytes = 0;
  const measure = new Transform({
    transform(chunk: Buffer, _, done) {
      bytes += chunk.length;
      hash.update(chunk);
      done(
        bytes > file.bytes ? failed(file, 'the server sent more bytes than the pointer file states') : null,
        chunk,
      );
    },
  });
  try {
    await pipeline(body, measure, createWriteStream(temporary, { flags: 'wx' }), { signal: fetching.signal });
  } catch (error) {
    fetching.signal.throwIfAborted();
    if (error instanceof JobFailure) throw error;
    throw failed(file, 'the connection was lost', error);
  }
  if (hash.digest('hex') !== file.oid) throw failed(file, 'the server sent bytes with another SHA-256');
  fetching.budget.addReceived(bytes);
}

async function textOf(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > answerBytesMax) break;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

const basic = ({ username, password }: GitLogin) =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

function refusedBatch(
  main: RepositoryUrl,
  repository: RepositoryUrl,
  status: number,
  login: GitLogin | null,
): JobFailure {
  const { url } = repository;
  const wantsOne = `it requires a login: ${whyNoLogin(main, repository)}`;
  const reasons: Record<number, string> = {
    401: login ? `it refused ${login.name}. ${login.replacing}` : wantsOne,
    403: login ? `it accepts ${login.name}, but does not let it read these files.` : wantsOne,
    404: login
      ? `it has no LFS for this repository, or ${login.name} may not read it.`
      : 'it has no LFS for this repository, or the repository is private.',
    413: 'the repository is over its data quota there.',
    429: 'its request limit is reached: deploy again later.',
    507: 'it has no space left.',
    509: 'the repository is over its data quota there.',
  };
  const reason = reasons[status] ?? `it answers with status ${status}.`;
  return new JobFailure('source_failed', `The LFS server of ${url} did not offer the files: ${reason}`);
}

const failed = (file: LargeFile, reason: string, cause?: unknown) =>
  new JobFailure('source_failed', `The LFS file ${file.paths[0]} could not be fetched: ${reason}.`, {
    cause,
  });

/** The content of a pointer file. */
export interface LargeFile {
  /** SHA-256 in hex. */
  oid: string;
  bytes: number;
  /** The paths of the file, relative to the tree. */
  paths: string[];
}
