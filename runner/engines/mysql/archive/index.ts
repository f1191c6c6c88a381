/** Backups of MySQL: all databases and accounts of the server, as SQL. */
import type { VolumeArchive } from '../../archive/archive.ts';
import { check, dump } from './dump.ts';
import { load, loadingArguments } from './load.ts';

export const mysqlArchive: VolumeArchive = { dump, check, loadingArguments, load };
