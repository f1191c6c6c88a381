/** Imports the data of another server into an engine: reads the source, loads the data beside the live data, and swaps the two. */
import type { Contents, DataPlace, FreshPlace, LoadedData, RestoreNames } from './archive.ts';
import type { ImportOptions } from './file-import.ts';

/** The server from which the data is read. */
export interface ImportSource {
  /** Includes the credentials. */
  url: string;
  /** The only address that may be connected to. @throws JobFailure for a name that resolves to a forbidden address */
  addressOf(host: string, port: number): Promise<string>;
}

/** The loaded data, with the counts of its source at the time of the read. */
export interface ImportedData extends LoadedData {
  source: Contents;
  /** Sentences about data that was left out. Absent if all data had to be loaded. */
  skipped?: readonly string[];
}

/** Engines that can be filled from a URL. All methods throw EngineError; errors about a source never contain credentials. */
export interface InPlaceUrlImport {
  /** Counts the live data. */
  contents(place: DataPlace): Promise<Contents>;
  /**
   * Reads the source, and changes nothing there.
   * @throws ImportRefusal when the source does not fit; SourceUrlError
   */
  load(
    place: DataPlace,
    source: ImportSource,
    names: RestoreNames,
    options?: ImportOptions,
  ): Promise<ImportedData>;
}

/**
 * Engines whose data can't be swapped inside a running server: the source is copied into a separate volume. All methods throw EngineError.
 */
export interface VolumeUrlImport extends Pick<InPlaceUrlImport, 'contents'> {
  /**
   * Waits for the engine, which was just started with an empty volume as in VolumeArchive, and copies the source into it. The service's
   * engine starts with the files that this leaves on the volume.
   * @param live can reach the source, which `fresh` can't; its data is not changed
   * @returns the counts of the loaded data, taken after the load, and those of the source
   * @throws ImportRefusal when the source does not fit; SourceUrlError
   */
  fill(
    fresh: FreshPlace,
    source: ImportSource,
    live: DataPlace,
  ): Promise<{ loaded: Contents; source: Contents }>;
}
