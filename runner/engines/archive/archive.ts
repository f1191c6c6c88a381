/** Saves all data of an engine to one file and restores it. */
import type { Readable, Writable } from 'node:stream';
import type { JobProgress } from '../../../protocol/job-report.ts';
import type { ContainerTools } from '../container-tools.ts';
import type { EngineAddress, EngineEnvironment } from '../engine.ts';

/** The place of work on data, with tools beside the data. */
export interface WorkPlace {
  tools: ContainerTools;
  signal: AbortSignal;
  /** May be called at any time, as often as necessary. */
  progress(progress: JobProgress): void;
  /** Writes a sentence into the job's log. */
  say?(sentence: string): void;
}

/** A running database. */
export interface DataPlace extends WorkPlace {
  address: EngineAddress;
  env: EngineEnvironment;
}

/** The number of tables and rows in a dump. The same data always has the same counts. */
export interface Contents {
  tables: number;
  rows: number;
}

/** The counts of a dump, and the parts that it leaves out. */
export interface DumpedContents extends Contents {
  /** Sentences for users: each mentions something in the database that the dump does not contain. */
  notKept?: readonly string[];
}

/** A file that can be read more than once. */
export interface ArchiveFile {
  sizeBytes: number;
  open(): Readable;
  /** The file's bytes for tools: each piece reuses the memory of the previous one. */
  pieces(): AsyncIterable<Buffer>;
}

/** Data that was loaded beside the live data and is not in use yet. */
export interface LoadedData {
  /** Counts the loaded data again. */
  contents(): Promise<Contents>;
  /** Replaces the live data with the loaded data, in one step. If it throws, either the old or the new data is live and complete. */
  swap(): Promise<void>;
  /** Removes the loaded data. Also allowed after a `swap` that failed. */
  discard(): Promise<void>;
}

/** Names by which a restarted runner finds the unfinished work of a crashed one. */
export interface RestoreNames {
  /** Lower-case letters, digits and `_`. All attempts of one job use the same suffix. */
  suffix: string;
}

/** Saves all data to one file. All methods throw EngineError. */
export interface DumpArchive<Place extends WorkPlace> {
  /** Writes the dump and ends `sink`. @returns the counts of the written data, at the same point in time as the dump */
  dump(place: Place, sink: Writable): Promise<DumpedContents>;
  /** Reads the file as a restore would, and changes nothing. @throws EngineError when the file is not a complete dump */
  check(place: Place, file: ArchiveFile): Promise<void>;
}

/** Engines whose data can be saved and restored. All methods throw EngineError. */
export interface InPlaceArchive extends DumpArchive<DataPlace> {
  load(place: DataPlace, file: ArchiveFile, names: RestoreNames): Promise<LoadedData>;
  /**
   * Finishes the work of a crashed process.
   * @returns `swapped`: the loaded data is live; `untouched`: the old data is live, and nothing of the attempt is left
   */
  recover(place: DataPlace, names: RestoreNames): Promise<'swapped' | 'untouched'>;
  /** Removes the data that a failed attempt has loaded beside the live data. Also succeeds without such data. @throws EngineError */
  discard(place: DataPlace, names: RestoreNames): Promise<void>;
  /** Removes the data that a swap has replaced. Also succeeds when there is none. */
  removeOld(place: DataPlace, names: RestoreNames): Promise<void>;
}

/** An engine that runs on a new volume only for the load. Only the host can reach it, and it can reach nothing. */
export interface FreshPlace extends DataPlace {
  /** Stops the engine cleanly and starts it again. After that, `address` is its new address. */
  restart(): Promise<void>;
  /** @throws EngineError with the reason if the engine has exited */
  assertRunning?(): Promise<void>;
}

/**
 * Engines whose data can't be swapped inside a running server: the dump is loaded into a separate volume. All methods throw EngineError.
 */
export interface VolumeArchive extends DumpArchive<DataPlace> {
  /** Extra arguments at the end of the engine's command while it loads. */
  readonly loadingArguments: readonly string[];
  /**
   * Waits for the engine, which was just started with an empty volume, and loads the file. The service's engine later starts with the
   * resulting files on the volume.
   * @param live the database to be replaced: the service's own users, which the file does not contain, are copied from it. Absent in a
   *   drill
   * @returns the counts of the loaded data, taken after the load
   */
  load(place: FreshPlace, file: ArchiveFile, live?: DataPlace): Promise<Contents>;
}
