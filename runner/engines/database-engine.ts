/** An engine with everything that jobs do with its data. `restore` says how loaded data gets live; jobs choose by it. */
import type { InPlaceArchive, VolumeArchive } from './archive/archive.ts';
import type { InPlaceFileImport, VolumeFileImport } from './archive/file-import.ts';
import type { InPlaceUrlImport, VolumeUrlImport } from './archive/url-import.ts';
import type { BrowsableEngine } from './engine.ts';

/** Loads data beside the live data in the running server, then exchanges the two there. */
export interface InPlaceEngine extends BrowsableEngine {
  readonly restore: 'in-place';
  /** Imported with the first job on data: a host that only answers queries needs none of it. */
  data(): Promise<InPlaceData>;
}

/** Loads data into a new volume, which then takes the place of the live one. */
export interface VolumeEngine extends BrowsableEngine {
  readonly restore: 'volume';
  /** Imported with the first job on data: a host that only answers queries needs none of it. */
  data(): Promise<VolumeData>;
}

export type DatabaseEngine = InPlaceEngine | VolumeEngine;

export interface InPlaceData {
  archive: InPlaceArchive;
  urlImport: InPlaceUrlImport;
  fileImport: InPlaceFileImport;
}

export interface VolumeData {
  archive: VolumeArchive;
  urlImport: VolumeUrlImport;
  fileImport: VolumeFileImport;
}
