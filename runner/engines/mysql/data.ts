/** Backups and imports of MySQL. A backup holds all databases and accounts of the server, as SQL. */
import type { VolumeData } from '../database-engine.ts';
import { check, dump } from './archive/dump.ts';
import { mysqlImport } from './archive/import.ts';
import { mysqlFileImport } from './archive/import-file.ts';
import { load, loadingArguments } from './archive/load.ts';

export const mysqlData: VolumeData = {
  archive: { dump, check, loadingArguments, load },
  urlImport: mysqlImport,
  fileImport: mysqlFileImport,
};
