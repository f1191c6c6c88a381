/** Engines that are filled from a dump file. */
import type { EngineName } from '../../../protocol/database.ts';
import { clickhouseFileImport } from '../clickhouse/archive/import-file.ts';
import { mongoFileImport } from '../mongodb/archive/import-file.ts';
import { mysqlFileImport } from '../mysql/archive/import-file.ts';
import { postgresFileImport, timescaleFileImport } from '../postgres/archive/import-file.ts';
import { redisFileImport } from '../redis/archive/import-file.ts';
import type { FileImporter, VolumeFileImporter } from './file-import.ts';

export const fileImporters: Readonly<Partial<Record<EngineName, FileImporter>>> = {
  postgres: postgresFileImport,
  timescale: timescaleFileImport,
  clickhouse: clickhouseFileImport,
};

/** Those of which an import is a new volume and a switch. */
export const volumeFileImporters: Readonly<Partial<Record<EngineName, VolumeFileImporter>>> = {
  mongodb: mongoFileImport,
  mysql: mysqlFileImport,
  redis: redisFileImport,
};
