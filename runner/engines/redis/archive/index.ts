/** Backups of Redis: its own RDB file. */
import type { VolumeArchive } from '../../archive/archive.ts';
import { dump } from './dump.ts';
import { load, loadingArguments } from './load.ts';
import { checkRdb } from './rdb-check.ts';

export const redisArchive: VolumeArchive = {
  dump,
  async check(place, file) {
    await checkRdb(place, file);
  },
  loadingArguments,
  load,
};
