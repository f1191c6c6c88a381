/** How data of a server elsewhere gets into an engine: read there, loaded beside the live data, exchanged. */
import type { Contents, DataPlace, LoadedData, RestoreNames } from './archive.ts';

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
export interface ImportingEngine {
  /** What the live data holds. */
  contents(place: DataPlace): Promise<Contents>;
  /**
   * Reads the source, and changes nothing there.
   * @throws ImportRefusal when it does not fit; SourceUrlError
   */
  load(place: DataPlace, source: ImportSource, names: RestoreNames): Promise<ImportedData>;
}

/** A source that can't be taken as it is; the message is the sentence for the user. */
export class ImportRefusal extends Error {
  override readonly name = 'ImportRefusal';
}
