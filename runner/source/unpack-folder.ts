/**
 * Unpacks an uploaded folder, a gzipped tar from a tenant. Links are created last, and only after the targets of all are known, so no file
 * is written through a link. Modes are those that git stores; owners, times and special files are ignored.
 */
import { createWriteStream } from 'node:fs';
import { mkdir, realpath, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract, type Header } from 'tar-stream';
import { JobFailure } from '../base/job-failure.ts';
import { type FolderLink, findEscapingLink } from './folder-links.ts';
import { SourceBudget, type SourceLimits, sourceLimits } from './source-budget.ts';

export interface UnpackRequest {
  archive: AsyncIterable<Uint8Array>;
  /** The path of the new directory; it must not exist. */
  directory: string;
  signal: AbortSignal;
  limits?: SourceLimits;
}

export interface Unpacked {
  files: number;
  /** Bytes of the files' contents. */
  bytes: number;
}

type Entry = ReturnType<typeof extract> extends AsyncIterable<infer One> ? One : never;

/** Bytes of a tar in addition to its files: headers, long names and padding of each entry. */
const overheadBytes = 4096;
/** Links stay in memory until the end of the archive. */
const linkTextMax = 16 * 2 ** 20;
/** Linux reads no longer target (PATH_MAX). */
const targetCharsMax = 4095;
/** Deeper than any project; following many long links would take minutes. */
const linkPartsMax = 100;

/**
 * @throws JobFailure `source_refused` for forbidden entries (paths and links out of the folder, devices, hard links), for a folder that is
 *   too large, and for a damaged archive; the signal's reason
 */
export async function unpackFolder({
  archive,
  directory,
  signal,
  limits = sourceLimits,
}: UnpackRequest): Promise<Unpacked> {
  const budget = new SourceBudget(limits, 'folder');
  await mkdir(directory, { recursive: true });
  const tar = extract();
  const writer = new FolderWriter(await realpath(directory), budget);
  const bytesMax = limits.bytesMax + limits.filesMax * overheadBytes;
  const source = pipeline(archive, createGunzip(), atMost(bytesMax, budget), tar, { signal });
  const taken = writer.take(tar);
  try {
    await Promise.all([source, taken]);
    await writer.link();
  } catch (error) {
    await Promise.allSettled([source, taken]); // no file is written after this function has ended
    signal.throwIfAborted();
    throw failureOf(error);
  }
  return writer.unpacked;
}

class FolderWriter {
  readonly unpacked: Unpacked = { files: 0, bytes: 0 };
  readonly #root: string;
  readonly #budget: SourceBudget;
  readonly #links: FolderLink[] = [];
  #linkText = 0;
  #directory = '';

  constructor(root: string, budget: SourceBudget) {
    this.#root = root;
    this.#budget = budget;
  }

  async take(tar: AsyncIterable<Entry>): Promise<void> {
    for await (const entry of tar) {
      const path = pathOf(entry.header.name);
      // Programs that a builder starts could read git's settings from it, and run programs named there.
      if (path === '' || path.split('/').some((part) => part.toLowerCase() === '.git')) entry.resume();
      else await this.#write(path, entry);
    }
  }

  async link(): Promise<void> {
    const escaping = findEscapingLink(this.#links);
    if (escaping) throw leadsOut(escaping);
    for (const { path, target } of this.#links) {
      await this.#within(dirname(path));
      await symlink(target, join(this.#root, path));
    }
  }

  async #write(path: string, entry: Entry): Promise<void> {
    const { type, size = 0, mode = 0 } = entry.header;
    if (type === 'directory') await this.#within(path);
    else if (type === 'symlink') this.#keepLink({ path, target: entry.header.linkname ?? '' });
    else if (type === 'file' || type === 'contiguous-file') {
      this.#budget.addFiles(1, size);
      await this.#within(dirname(path));
      const file = createWriteStream(join(this.#root, path), {
        flags: 'wx',
        mode: mode & 0o100 ? 0o755 : 0o644,
      });
      await pipeline(entry, file);
      this.unpacked.files += 1;
      this.unpacked.bytes += size;
      return;
    } else
      throw refused(
        `"${path}" is a ${nameOf(type)}, and a folder has only files, directories and symbolic links`,
      );
    entry.resume();
  }

  #keepLink(link: FolderLink): void {
    this.#budget.addFiles(1, 0);
    this.#linkText += link.path.length + link.target.length;
    if (this.#linkText > linkTextMax) throw refused('it has too many links');
    const { path, target } = link;
    if (target === '' || target.startsWith('/') || target.length > targetCharsMax) throw leadsOut(link);
    if (path.split('/').length > linkPartsMax || target.split('/').length > linkPartsMax)
      throw refused(`the link "${shown(path)}" goes through more than ${linkPartsMax} directories`);
    this.#links.push(link);
  }

  /** Creates a directory and its parents. They count: an entry's path can have thousands. */
  async #within(path: string): Promise<void> {
    if (path === '.' || path === this.#directory) return;
    const first = await mkdir(join(this.#root, path), { recursive: true });
    this.#directory = path;
    if (first === undefined) return;
    const above = first.slice(this.#root.length + 1).split('/').length;
    this.#budget.addFiles(path.split('/').length - above + 1, 0);
  }
}

/** The parts of an entry's name without `.` and empty ones. @throws JobFailure `source_refused` */
function pathOf(name: string): string {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  if (!name.startsWith('/') && !name.includes('\0') && !parts.includes('..')) return parts.join('/');
  throw refused(`it contains the path "${shown(name)}", which leads out of it`);
}

/** Stops an archive whose bytes belong to no file, such as endless headers. */
function atMost(bytesMax: number, budget: SourceBudget): Transform {
  let seen = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      seen += chunk.length;
      if (seen <= bytesMax) return done(null, chunk);
      try {
        budget.addReceived(seen);
        done(refused('it unpacks to more than its files'));
      } catch (error) {
        done(error as Error);
      }
    },
  });
}

const nameOf = (type: Header['type']) =>
  type === 'link' ? 'hard link' : (type ?? 'entry of an unknown type');
const shown = (text: string) => text.replaceAll('\0', '').slice(0, 200);
const leadsOut = ({ path, target }: FolderLink) =>
  refused(`the link "${shown(path)}" leads out of it, to "${shown(target)}"`);
const refused = (reason: string) =>
  new JobFailure(
    'source_refused',
    `The uploaded folder was refused: ${reason}. Remove it, or list it in .longshoreignore.`,
  );

/** Errors of the file system and of the archive's format, as errors of the client. */
function failureOf(error: unknown): unknown {
  if (error instanceof JobFailure) return error;
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (['EEXIST', 'ENOTDIR', 'EISDIR'].includes(code)) return refused('two of its entries have the same path');
  if (code === 'ENAMETOOLONG') return refused('a path in it is longer than Linux can open');
  const isFormat = code.startsWith('Z_') || /tar|header|unexpected end/i.test(message);
  if (!isFormat) return error;
  return new JobFailure(
    'source_refused',
    `The uploaded folder is no gzipped tar, or incomplete: ${message}.`,
    {
      cause: error,
    },
  );
}
