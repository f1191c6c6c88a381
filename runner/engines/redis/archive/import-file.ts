/** Imports a user's RDB file: from `redis-cli --rdb`, from a server's disk, or a backup of another Longshore. */
import { firstBytes, refuseFile, type VolumeFileImport } from '../../archive/file-import.ts';
import { keysHeld } from './cli.ts';
import { load } from './load.ts';
import { checkRdb } from './rdb-check.ts';

const magic = 'REDIS';

export const redisFileImport: VolumeFileImport = {
  contents: keysHeld,
  async inspect(place, file) {
    if ((await firstBytes(file, magic.length)).toString('latin1') !== magic)
      throw refuseFile('an RDB file of Redis: make it with redis-cli --rdb FILE');
    return { source: await checkRdb(place, file), fill: (fresh, live) => load(fresh, file, live) };
  },
};
