/** Backups and imports of Redis. A backup is an RDB file. */
import type { VolumeData } from '../database-engine.ts';
import { dump } from './archive/dump.ts';
import { redisFileImport } from './archive/import-file.ts';
import { load, loadingArguments } from './archive/load.ts';
import { checkRdb } from './archive/rdb-check.ts';
import { redisImport } from './import/import.ts';

export const redisData: VolumeData = {
  archive: {
    dump,
    async check(place, file) {
      await checkRdb(place, file);
    },
    loadingArguments,
    load,
  },
  urlImport: redisImport,
  fileImport: redisFileImport,
};
