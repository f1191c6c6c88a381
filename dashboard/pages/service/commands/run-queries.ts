/** The queries of the page of commands. */
import { keepPreviousData } from '@tanstack/solid-query';
import type { ReplyOf } from '../../../../client/client.ts';
import { api } from '../../../api/client.ts';
import { queries } from '../../../api/query-client.ts';
import { useQuery } from '../../../api/use-query.ts';

export type Schedule = ReplyOf<'GET /api/services/:serviceId/schedules'>['schedules'][number];
export type Occurrence =
  ReplyOf<'GET /api/services/:serviceId/schedules/:scheduleId/occurrences'>['occurrences'][number];
export type Run = ReplyOf<'GET /api/services/:serviceId/runs'>['runs'][number];

export const isOpen = ({ status }: Run): boolean => status === 'queued' || status === 'running';

export const useSchedules = (serviceId: () => string) =>
  useQuery(() => ({
    queryKey: ['schedules', serviceId()],
    queryFn: async ({ signal }) =>
      (
        await api.call('GET /api/services/:serviceId/schedules', {
          params: { serviceId: serviceId() },
          signal,
        })
      ).schedules,
  }));

export interface History {
  /** The past times, newest first; `run` is null for a skipped one. */
  times: readonly Occurrence[];
  hasMore: boolean;
}

/**
 * The newest commands of a service, or the newest times of one schedule.
 * @param shown `scheduleId`: empty for all commands; `count`: the maximum number
 */
export const useHistory = (serviceId: () => string, shown: () => { scheduleId: string; count: number }) =>
  useQuery(() => ({
    queryKey: ['runs', serviceId(), shown()],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => readHistory(serviceId(), shown(), signal),
  }));

async function readHistory(
  serviceId: string,
  { scheduleId, count: limit }: { scheduleId: string; count: number },
  signal: AbortSignal,
): Promise<History> {
  const options = { query: { limit }, signal };
  if (scheduleId === '') {
    const params = { serviceId };
    const { runs, nextCursor } = await api.call('GET /api/services/:serviceId/runs', { ...options, params });
    const times = runs.map((run) => ({ dueAt: run.createdAt, run, reason: null, missed: 0 }));
    return { times, hasMore: nextCursor !== undefined };
  }
  const params = { serviceId, scheduleId };
  const route = 'GET /api/services/:serviceId/schedules/:scheduleId/occurrences';
  const { occurrences, nextCursor } = await api.call(route, { ...options, params });
  return { times: occurrences, hasMore: nextCursor !== undefined };
}

export const useRun = (serviceId: () => string, runId: () => string) =>
  useQuery(() => ({
    queryKey: ['run', serviceId(), runId()],
    queryFn: async ({ signal }) =>
      (
        await api.call('GET /api/services/:serviceId/runs/:runId', {
          params: { serviceId: serviceId(), runId: runId() },
          signal,
        })
      ).run,
  }));

/** The next times of an expression while the user types. A refusal is shown at once, because a retry does not help. */
export const usePreview = (timing: () => { cron: string; timeZone: string }) =>
  useQuery(() => ({
    queryKey: ['schedule-preview', timing()],
    enabled: timing().cron.trim() !== '',
    retry: false,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => api.call('GET /api/schedule-preview', { query: timing(), signal }),
  }));

/** Renews all data that depends on commands of the service. */
export async function renewCommands(serviceId: string): Promise<void> {
  await Promise.all(
    ['schedules', 'runs', 'run'].map((kind) => queries.invalidateQueries({ queryKey: [kind, serviceId] })),
  );
}
