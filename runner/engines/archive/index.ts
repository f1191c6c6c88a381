/** Engines whose data can be saved and restored. */
import type { EngineName } from '../../../protocol/database.ts';
import { clickhouseArchive } from '../clickhouse/archive/index.ts';
import { postgresArchive, timescaleArchive } from '../postgres/archive/index.ts';
import type { ArchivingEngine } from './archive.ts';

export const archives: Readonly<Partial<Record<EngineName, ArchivingEngine>>> = {
  postgres: postgresArchive,
  timescale: timescaleArchive,
  clickhouse: clickhouseArchive,
};
