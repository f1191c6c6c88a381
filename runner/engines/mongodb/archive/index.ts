/** Backups of MongoDB: an archive of `mongodump` behind gzip, which `mongorestore --archive=FILE --gzip` reads. */
import type { VolumeArchive } from '../../archive/archive.ts';
import { check } from './check.ts';
import { dump } from './dump.ts';
import { load, loadingArguments } from './load.ts';

export const mongoArchive: VolumeArchive = { dump, check, loadingArguments, load };
