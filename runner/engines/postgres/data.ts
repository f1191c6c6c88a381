/** Backups and imports of PostgreSQL and TimescaleDB. */
import type { InPlaceData } from '../database-engine.ts';
import { dump } from './archive/dump.ts';
import { importWith } from './archive/import.ts';
import { fileImportWith } from './archive/import-file.ts';
import type { RestoreHooks } from './archive/plan.ts';
import { discardLoaded, recover, removeOld } from './archive/recover.ts';
import { check, load } from './archive/restore.ts';
import { timescaleHooks } from './archive/timescale-hooks.ts';

export const postgresData = dataWith({});
export const timescaleData = dataWith(timescaleHooks);

function dataWith(hooks: RestoreHooks): InPlaceData {
  return {
    archive: {
      dump: (place, sink) => dump(place, sink),
      check,
      load: (place, file, options) => load(place, file, options, hooks),
      recover,
      discard: discardLoaded,
      removeOld,
    },
    urlImport: importWith(hooks),
    fileImport: fileImportWith(hooks),
  };
}
