/** How an engine's data is taken out as one file and put back. */
import type { Readable, Writable } from 'node:stream';
import type { JobProgress } from '../../../protocol/job-report.ts';
import type { ContainerTools } from '../container-tools.ts';
import type { EngineAddress, EngineEnvironment } from '../engine.ts';

/** A database that runs. */
export interface DataPlace {
  address: EngineAddress;
  env: EngineEnvironment;
  tools: ContainerTools;
  signal: AbortSignal;
  /** May be called as often as there is news. */
  progress(progress: JobProgress): void;
}

/** What a dump holds; of the same data always the same. */
export interface Contents {
  tables: number;
  rows: number;
}

/** Where a file lies, to be read more than once. */
export interface ArchiveFile {
  sizeBytes: number;
  open(): Readable;
  /** For tools: each piece lies in the memory of the one before it. */
  pieces(): AsyncIterable<Buffer>;
}

/** Data that was loaded beside the live data, and is not used by anybody yet. */
export interface LoadedData {
  /** Counted anew. */
  contents(): Promise<Contents>;
  /** Takes the place of the live data, all at once. Whatever it throws, one of the two is whole and live. */
  swap(): Promise<void>;
  /** Removes what was loaded; fine after a `swap` that failed. */
  discard(): Promise<void>;
}

/** Words by which a restarted runner finds what a dead one had begun. */
export interface RestoreNames {
  /** Lower-case letters, digits and `_`; the same for every attempt of one job. */
  suffix: string;
}

/** Engines whose data can be saved and restored. All methods throw EngineError. */
export interface InPlaceArchive {
  /** Ends `sink`. @returns what was written, counted in the very moment that the dump shows */
  dump(place: DataPlace, sink: Writable): Promise<Contents>;
  /** Reads the file as a restore would, and changes nothing. @throws EngineError when it is no whole dump */
  check(place: DataPlace, file: ArchiveFile): Promise<void>;
  /** @param isOther the data is another service's: its users are not those of the dump */
  load(
    place: DataPlace,
    file: ArchiveFile,
    options: RestoreNames & { isOther: boolean },
  ): Promise<LoadedData>;
  /**
   * Ends what a dead process began.
   * @returns `swapped`: what was loaded is live; `untouched`: the old data is, and nothing of the attempt is left
   */
  recover(place: DataPlace, names: RestoreNames): Promise<'swapped' | 'untouched'>;
  /** Removes the data that a swap has put aside; fine when there is none. */
  removeOld(place: DataPlace, names: RestoreNames): Promise<void>;
}

/** An engine that runs on a fresh volume for the load alone: the host reaches it, and nobody else; nor does it reach anybody. */
export interface FreshPlace extends DataPlace {
  /** Stops the engine in good order and starts it again; `address` is the new one then. */
  restart(): Promise<void>;
}

/** Engines whose data can't be exchanged inside a running server: the dump is loaded into a volume of its own. All methods throw EngineError. */
export interface VolumeArchive extends Pick<InPlaceArchive, 'dump' | 'check'> {
  /** What the engine's command ends with while it loads. */
  readonly loadingArguments: readonly string[];
  /**
   * Waits for the engine, which has just been started with an empty volume, and loads the file. What it leaves is what the engine of the
   * service starts with.
   * @returns what was loaded, counted anew
   */
  load(place: FreshPlace, file: ArchiveFile): Promise<Contents>;
}
