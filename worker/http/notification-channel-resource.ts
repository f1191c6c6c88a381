import { type ChannelRow, selectScopedChannel } from '../store/events/notification-channel-store.ts';
import { parameter, type ResourceLoader } from './resources.ts';

/** `:channelId` of the caller's tenant. */
export const notificationChannelResource: ResourceLoader<{ channel: ChannelRow }> = {
  name: 'notificationChannel',
  scope: 'key',
  select: (db, tokenId, params) => selectScopedChannel(db, tokenId, parameter(params, 'channelId')),
  projectOf: ({ channel }) => channel.projectId,
};
