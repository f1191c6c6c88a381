/**
 * Backups and imports of MongoDB. A backup is a gzip-compressed archive of `mongodump`, which `mongorestore --archive=FILE --gzip` reads.
 */
import type { VolumeData } from '../database-engine.ts';
import { check } from './archive/check.ts';
import { dump } from './archive/dump.ts';
import { mongoImport } from './archive/import.ts';
import { mongoFileImport } from './archive/import-file.ts';
import { load, loadingArguments } from './archive/load.ts';

export const mongoData: VolumeData = {
  archive: { dump, check, loadingArguments, load },
  urlImport: mongoImport,
  fileImport: mongoFileImport,
};
