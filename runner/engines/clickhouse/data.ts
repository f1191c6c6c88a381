/** Backups and imports of ClickHouse. */
import type { InPlaceData } from '../database-engine.ts';
import { dump } from './archive/dump.ts';
import { clickhouseImport } from './archive/import.ts';
import { clickhouseFileImport } from './archive/import-file.ts';
import { check, load } from './archive/load.ts';
import { discard, recover, removeOld } from './archive/swap.ts';

export const clickhouseData: InPlaceData = {
  archive: { dump, check, load, recover, discard, removeOld },
  urlImport: clickhouseImport,
  fileImport: clickhouseFileImport,
};
