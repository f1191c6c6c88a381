/** The loader of commands that run once. */

import { type RunRow, selectScopedRun } from '../store/commands/run-store.ts';
import type { JobRow } from '../store/jobs/job-store.ts';
import { type LoadedService, parameter, type ResourceLoader } from './resources.ts';

export interface LoadedRun extends LoadedService {
  run: RunRow;
  job: JobRow;
}

/** `:serviceId` and `:runId` */
export const runResource: ResourceLoader<LoadedRun> = {
  name: 'run',
  scope: 'key',
  select: (db, tokenId, params) =>
    selectScopedRun(db, tokenId, parameter(params, 'serviceId'), parameter(params, 'runId')),
};
