/** Engines that are filled from a URL. */
import type { EngineName } from '../../../protocol/database.ts';
import { clickhouseImport } from '../clickhouse/archive/import.ts';
import { mongoImport } from '../mongodb/archive/import.ts';
import { mysqlImport } from '../mysql/archive/import.ts';
import { postgresImport, timescaleImport } from '../postgres/archive/import.ts';
import { redisImport } from '../redis/import/import.ts';
import type { ImportingEngine, VolumeImporter } from './import.ts';

export const importers: Readonly<Partial<Record<EngineName, ImportingEngine>>> = {
  postgres: postgresImport,
  timescale: timescaleImport,
  clickhouse: clickhouseImport,
};

/** Those of which an import is a new volume and a switch. */
export const volumeImporters: Readonly<Partial<Record<EngineName, VolumeImporter>>> = {
  mongodb: mongoImport,
  mysql: mysqlImport,
  redis: redisImport,
};
