/** Engines whose data can be saved and restored. */
import type { EngineName } from '../../../protocol/database.ts';
import { clickhouseArchive } from '../clickhouse/archive/index.ts';
import { mongoArchive } from '../mongodb/archive/index.ts';
import { mysqlArchive } from '../mysql/archive/index.ts';
import { postgresArchive, timescaleArchive } from '../postgres/archive/index.ts';
import { redisArchive } from '../redis/archive/index.ts';
import type { ArchivingEngine, VolumeArchive } from './archive.ts';

export const archives: Readonly<Partial<Record<EngineName, ArchivingEngine>>> = {
  postgres: postgresArchive,
  timescale: timescaleArchive,
  clickhouse: clickhouseArchive,
};

/** Those of which a restore is a new volume and a switch. */
export const volumeArchives: Readonly<Partial<Record<EngineName, VolumeArchive>>> = {
  mongodb: mongoArchive,
  mysql: mysqlArchive,
  redis: redisArchive,
};
