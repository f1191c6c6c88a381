import type { PostNotificationChannelsBody, ReplyOf } from '../../../../client/client.ts';
import { api } from '../../../api/client.ts';
import { useQuery } from '../../../api/use-query.ts';

export type Channel = ReplyOf<'GET /api/notification-channels'>['channels'][number];
export type EventName = NonNullable<PostNotificationChannelsBody['events']>[number];
export type AlertRule = ReplyOf<'GET /api/projects/:projectId/alert-rules'>['rules'][number];

export const useChannels = () =>
  useQuery(() => ({
    queryKey: ['channels'],
    queryFn: async ({ signal }) => (await api.call('GET /api/notification-channels', { signal })).channels,
  }));

/** Number of messages in the list of a channel. */
const messagesMax = 20;

export const useMessages = (channelId: () => string) =>
  useQuery(() => ({
    queryKey: ['messages', channelId()],
    queryFn: async ({ signal }) =>
      (
        await api.call('GET /api/notification-channels/:channelId/notifications', {
          params: { channelId: channelId() },
          query: { limit: messagesMax },
          signal,
        })
      ).notifications,
  }));

export const useAlertRules = (projectId: () => string) =>
  useQuery(() => ({
    queryKey: ['alert-rules', projectId()],
    queryFn: ({ signal }) =>
      api.call('GET /api/projects/:projectId/alert-rules', {
        params: { projectId: projectId() },
        signal,
      }),
  }));
