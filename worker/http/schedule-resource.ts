/** The loader of schedules. */
import { type ScheduleRow, selectScopedSchedule } from '../store/commands/schedule-store.ts';
import { type LoadedService, parameter, type ResourceLoader } from './resources.ts';

export interface LoadedSchedule extends LoadedService {
  schedule: ScheduleRow;
}

/** `:serviceId` and `:scheduleId` */
export const scheduleResource: ResourceLoader<LoadedSchedule> = {
  name: 'schedule',
  scope: 'key',
  select: (db, tokenId, params) =>
    selectScopedSchedule(db, tokenId, parameter(params, 'serviceId'), parameter(params, 'scheduleId')),
};
