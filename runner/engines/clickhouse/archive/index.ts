/** Backups of ClickHouse. */
import type { ArchivingEngine } from '../../archive/archive.ts';
import { dump } from './dump.ts';
import { check, load } from './load.ts';
import { recover, removeOld } from './swap.ts';

export const clickhouseArchive: ArchivingEngine = { dump, check, load, recover, removeOld };
