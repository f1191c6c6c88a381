/** An engine with all methods for jobs on its data. `restore` selects how loaded data becomes live; jobs branch on it. */
import type { InPlaceArchive, VolumeArchive } from './archive/archive.ts';
import type { InPlaceFileImport, VolumeFileImport } from './archive/file-import.ts';
import type { InPlaceUrlImport, VolumeUrlImport } from './archive/url-import.ts';
import type { BrowsableEngine } from './engine.ts';

/** Loads data beside the live data in the running server, then swaps the two there. */
export interface InPlaceEngine extends BrowsableEngine {
  readonly restore: 'in-place';
  /** Imported by the first job on data: a host that only answers queries doesn't need it. */
  data(): Promise<InPlaceData>;
}

/** Loads data into a new volume, which then replaces the live one. */
export interface VolumeEngine extends BrowsableEngine {
  readonly restore: 'volume';
  /** Imported by the first job on data: a host that only answers queries doesn't need it. */
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
