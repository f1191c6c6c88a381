/** Backups and imports of Redis. A backup is an RDB file. */
import { firstBytes, refuseFile, type VolumeFileImport } from '../archive/file-import.ts';
import type { VolumeData } from '../database-engine.ts';
import { keysHeld } from './archive/cli.ts';
import { dump } from './archive/dump.ts';
import { load, loadingArguments } from './archive/load.ts';
import { checkRdb } from './archive/rdb-check.ts';
import { redisImport } from './import/import.ts';

const magic = 'REDIS';

/** Imports a user's RDB file: from `redis-cli --rdb`, from a server's disk, or a backup of another Longshore. */
const redisFileImport: VolumeFileImport = {
  contents: keysHeld,
  async inspect(place, file) {
    if ((await firstBytes(file, magic.length)).toString('latin1') !== magic)
      throw refuseFile('an RDB file of Redis: make it with redis-cli --rdb FILE');
    return { source: await checkRdb(place, file), fill: (fresh, live) => load(fresh, file, live) };
  },
};

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
