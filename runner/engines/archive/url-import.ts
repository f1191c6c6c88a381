/** How data of a server elsewhere gets into an engine: read there, loaded beside the live data, exchanged. */
import type { Contents, DataPlace, FreshPlace, LoadedData, RestoreNames } from './archive.ts';

/** Where it is read. */
export interface ImportSource {
  /** With its credentials. */
  url: string;
  /** The one address that is connected to. @throws JobFailure for a name that leads where it must not */
  addressOf(host: string): Promise<string>;
}

/** Loaded, with what its source held in the very moment that was read. */
export interface ImportedData extends LoadedData {
  source: Contents;
}

/** Engines that are filled from a URL. All methods throw EngineError; one about a source says no credentials. */
export interface InPlaceUrlImport {
  /** What the live data holds. */
  contents(place: DataPlace): Promise<Contents>;
  /**
   * Reads the source, and changes nothing there.
   * @throws ImportRefusal when it does not fit; SourceUrlError
   */
  load(place: DataPlace, source: ImportSource, names: RestoreNames): Promise<ImportedData>;
}

/** Engines whose data can't be exchanged inside a running server: the source is copied into a volume of its own. All methods throw EngineError. */
export interface VolumeUrlImport extends Pick<InPlaceUrlImport, 'contents'> {
  /**
   * Waits for the engine, which has just been started with an empty volume as VolumeArchive says, and copies the source into it. What it
   * leaves is what the engine of the service starts with.
   * @param live has the way to the source that `fresh` lacks; its data stays as it is
   * @returns what was loaded, counted anew, and what the source held
   * @throws ImportRefusal when the source does not fit; SourceUrlError
   */
  fill(
    fresh: FreshPlace,
    source: ImportSource,
    live: DataPlace,
  ): Promise<{ loaded: Contents; source: Contents }>;
}
