import type { ReplyOf } from '../../../../client/client.ts';
import { api } from '../../../api/client.ts';
import { queries } from '../../../api/query-client.ts';
import { useQuery } from '../../../api/use-query.ts';

export type LogDrain = ReplyOf<'GET /api/projects/:projectId/log-drains'>['logDrains'][number];
export type HostOfDrain = ReplyOf<'GET /api/log-drains/:logDrainId/status'>['hosts'][number];

export const useLogDrains = (projectId: () => string) =>
  useQuery(() => ({
    queryKey: ['log-drains', projectId()],
    queryFn: async ({ signal }) =>
      (
        await api.call('GET /api/projects/:projectId/log-drains', {
          params: { projectId: projectId() },
          signal,
        })
      ).logDrains,
  }));

/** Hosts are asked for each answer, so a visible page polls only this often. */
const statusRenewedMs = 15_000;

export const useDrainStatus = (drain: () => LogDrain) =>
  useQuery(() => ({
    queryKey: ['log-drain-status', drain().id],
    enabled: drain().enabled,
    refetchInterval: statusRenewedMs,
    queryFn: async ({ signal }) =>
      (
        await api.call('GET /api/log-drains/:logDrainId/status', {
          params: { logDrainId: drain().id },
          signal,
        })
      ).hosts,
  }));

/** Renews the drains and their progress. */
export async function renewDrains(): Promise<void> {
  await Promise.all([
    queries.invalidateQueries({ queryKey: ['log-drains'] }),
    queries.invalidateQueries({ queryKey: ['log-drain-status'] }),
  ]);
}
