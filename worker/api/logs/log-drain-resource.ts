import { parameter, type ResourceLoader } from '../../http/resources.ts';
import { type LogDrainRow, selectScopedLogDrain } from '../../store/logs/log-drain-store.ts';

export interface LoadedLogDrain {
  drain: LogDrainRow;
  tenantId: string;
}

/** `:logDrainId` of a project that the key sees. */
export const logDrainResource: ResourceLoader<LoadedLogDrain> = {
  name: 'logDrain',
  scope: 'key',
  select: (db, tokenId, params) => selectScopedLogDrain(db, tokenId, parameter(params, 'logDrainId')),
  projectOf: ({ drain }) => drain.projectId,
};
