/**
 * The archive of a volume: a tar in the POSIX format, compressed with gzip. GNU tar writes and unpacks it in a container that has only the
 * volume, so no path and no link in it can lead anywhere else. Owners are numbers; modes, times, links, holes of sparse files, ACLs and
 * extended attributes are kept.
 */
import { PassThrough, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type {
  ArchiveFile,
  DumpArchive,
  DumpedContents,
  WorkPlace,
} from '../../../engines/archive/archive.ts';
import type { ContainerTools } from '../../../engines/container-tools.ts';
import { EngineError } from '../../../engines/engine-error.ts';
import { TarCounter, type VolumeContents } from './tar-counter.ts';

/** The path of the volume in helpers. */
export const volumePath = '/volume';

const kept = [
  '--numeric-owner',
  '--acls',
  '--xattrs',
  '--xattrs-include=user.*',
  '--xattrs-include=security.capability',
];
/** Most of the time is spent in gzip, and a higher level gains little. */
const gzipLevel = 1;
/** Exit code of GNU tar: files have changed or vanished during the read. */
const changedMeanwhile = 1;

/** @param around runs the copy while the files are quiesced */
export const volumeArchive = (
  around: <T>(copy: () => Promise<T>) => Promise<T> = (copy) => copy(),
): DumpArchive<WorkPlace> => ({
  dump: (place, sink) => around(() => dump(place, sink)),
  async check(place, file) {
    await readVolumeArchive(file, place.signal);
  },
});

async function dump(place: WorkPlace, sink: Writable): Promise<DumpedContents> {
  const printed = new PassThrough();
  const counter = new TarCounter();
  const written = pipeline(
    printed,
    (source) => counter.tap(source, place),
    createGzip({ level: gzipLevel }),
    sink,
  );
  written.catch(() => {});
  const command = [
    'tar',
    '--create',
    '--format=posix',
    '--sparse',
    ...kept,
    '--directory',
    volumePath,
    '--file=-',
    '.',
  ];
  const { code, stderr } = await place.tools.run(command, { stdout: printed, signal: place.signal });
  if (code > changedMeanwhile) {
    sink.destroy();
    throw new EngineError(
      'unavailable',
      `The files of the volume could not be copied: ${stderr || `exit code ${code}`}`,
    );
  }
  await written;
  const { tables, rows } = await counter.end();
  const notKept = [
    ...(code === changedMeanwhile
      ? [
          `Files changed while they were copied, and may be half written in the backup: ${sentencesOf(stderr)}`,
        ]
      : []),
    ...(/socket ignored/.test(stderr)
      ? ['Unix sockets are not part of a backup: the app makes them when it starts.']
      : []),
  ];
  return { tables, rows, notKept };
}

/**
 * Reads a whole archive and changes nothing.
 * @param bytesMax limit of its files together
 * @throws EngineError when it is not complete, contains a forbidden entry, or is larger than allowed
 */
export async function readVolumeArchive(
  file: ArchiveFile,
  signal: AbortSignal,
  bytesMax = Number.POSITIVE_INFINITY,
): Promise<VolumeContents> {
  const counter = new TarCounter(bytesMax);
  try {
    await pipeline(file.open(), createGunzip(), (source) => counter.drain(source), { signal });
    return await counter.end();
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof EngineError) throw error;
    throw new EngineError('invalid_request', `The archive is damaged: ${String(error)}`, { cause: error });
  }
}

/**
 * tar writes a hole at once, but compares it byte by byte, 100 GB a minute: files of holes alone would occupy one of the host's few places
 * for data jobs for hours.
 */
const holesComparedMax = 64 * 2 ** 30;

/**
 * Unpacks an archive into the empty volume at `volumePath`, then compares every file with it.
 * @param contents of the archive; beyond 64 GB of holes nothing is compared, and `say` reports that
 * @throws EngineError; the signal's reason
 */
export async function unpackVolume(
  tools: ContainerTools,
  file: ArchiveFile,
  { signal, progress, say }: Pick<WorkPlace, 'signal' | 'progress' | 'say'>,
  { holeBytes }: Pick<VolumeContents, 'holeBytes'>,
): Promise<void> {
  const compares = holeBytes <= holesComparedMax;
  const reading = { signal, progress, total: file.sizeBytes * (compares ? 2 : 1) };
  const into = ['--preserve-permissions', '--same-owner', '--directory', volumePath, '--file=-'];
  await fed(tools, ['tar', '--extract', ...kept, ...into], file, { ...reading, before: 0 });
  if (!compares) {
    return say?.(
      `The files have ${Math.round(holeBytes / 2 ** 30)} GB of holes, so they are not compared with the backup after they were unpacked.`,
    );
  }
  await fed(tools, ['tar', '--compare', ...kept, '--directory', volumePath, '--file=-'], file, {
    ...reading,
    before: file.sizeBytes,
  });
}

interface Reading extends Pick<WorkPlace, 'signal' | 'progress'> {
  before: number;
  total: number;
}

async function fed(
  tools: ContainerTools,
  command: string[],
  file: ArchiveFile,
  { signal, progress, before, total }: Reading,
): Promise<void> {
  let done = before;
  const source = file.open();
  source.on('data', (piece: Buffer) => {
    done += piece.length;
    progress({ done, total, unit: 'bytes' });
  });
  const plain = createGunzip();
  const unzipped = pipeline(source, plain);
  unzipped.catch(() => {});
  const { code, stderr } = await tools.run(command, { stdin: plain, signal });
  if (code === 0) return await unzipped;
  const what = command[1] === '--extract' ? 'unpacked' : 'verified after they were unpacked';
  throw new EngineError(
    'unavailable',
    `The files could not be ${what}: ${sentencesOf(stderr) || `exit code ${code}`}`,
  );
}

/** The messages of tar without its name, shortened. */
const sentencesOf = (stderr: string) => {
  const lines = stderr.split('\n').map((line) => line.replace(/^(\/bin\/)?tar: /, ''));
  return lines.slice(0, 5).join('; ').slice(0, 400);
};
