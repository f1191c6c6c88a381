/** Engines that are filled from a URL. */
import type { EngineName } from '../../../protocol/database.ts';
import { postgresImport, timescaleImport } from '../postgres/archive/import.ts';
import type { ImportingEngine } from './import.ts';

export const importers: Readonly<Partial<Record<EngineName, ImportingEngine>>> = {
  postgres: postgresImport,
  timescale: timescaleImport,
};
