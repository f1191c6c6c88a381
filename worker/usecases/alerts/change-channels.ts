/** Notification channels: create and change. */

import {
  type ChannelConfig,
  type ChannelKindName,
  type ChannelPatch,
  channelsPerTenant,
  checkedDelivery,
  givenKinds,
  type NewChannel,
  requestOf,
  targetOf,
} from '../../domain/alerts/notifications/channel-fields.ts';
import { ApiError, absent } from '../../domain/errors.ts';
import { allowsPrivateFor } from '../../domain/names/webhook-url.ts';
import { channelConfigPlace } from '../../security/secret-places.ts';
import {
  type ChannelChanges,
  type ChannelRow,
  insertChannel,
  updateChannel,
} from '../../store/alerts/notification-channel-store.ts';
import { selectProject } from '../../store/projects/project-store.ts';
import { violates } from '../../store/sql/store-failure.ts';
import type { Dependencies } from '../dependencies.ts';
import { readSettings } from '../instance/change-settings.ts';
import { sealInstanceSecret } from '../seal-instance-secret.ts';

type Needs = Pick<Dependencies, 'db' | 'envelope' | 'now'>;

/**
 * @throws ApiError `invalid_request` for an address that is not allowed; `conflict` if another channel uses the name; `not_found` for a
 *   project outside the tenant; `quota_exceeded`
 */
export async function createChannel(
  deps: Needs & Pick<Dependencies, 'newId'>,
  tenantId: string,
  body: NewChannel,
): Promise<ChannelRow> {
  const id = deps.newId('notificationChannel');
  const at = deps.now();
  const { name, projectId = null, events, quietHours, enabled } = body;
  const row = {
    ...{ id, tenantId, projectId, name, events: [...new Set(events)], quietHours, enabled },
    ...(await configured(deps, { id, tenantId }, body)),
    ...{ createdAt: at, updatedAt: at },
  };
  const written = await insertChannel(deps.db, row).catch((error: unknown) => throwTaken(error, name));
  if (written.length > 0) return row;
  if (projectId !== null) {
    const [project] = await selectProject(deps.db, projectId);
    if (project?.tenantId !== tenantId) throw absent('project');
  }
  throw new ApiError(
    'quota_exceeded',
    `A tenant can have ${channelsPerTenant} notification channels: delete one.`,
  );
}

/** Settings of another kind change the channel's kind. @throws ApiError as `createChannel` */
export async function changeChannel(
  deps: Needs,
  { id, tenantId, name }: ChannelRow,
  body: ChannelPatch,
): Promise<ChannelRow> {
  const { name: newName, events, quietHours, enabled } = body;
  const changes: ChannelChanges = {
    ...(newName !== undefined && { name: newName }),
    ...(events && { events: [...new Set(events)] }),
    ...(quietHours !== undefined && { quietHours }),
    ...(enabled !== undefined && { enabled }),
    ...(givenKinds(body).length > 0 && (await configured(deps, { id, tenantId }, body))),
    updatedAt: deps.now(),
  };
  const [row] = await updateChannel(deps.db, id, changes).catch((error: unknown) =>
    throwTaken(error, newName ?? name),
  );
  if (!row) throw absent('notificationChannel');
  return row;
}

/** Kind, shown target and sealed configuration. */
async function configured(
  deps: Needs,
  { id, tenantId }: Pick<ChannelRow, 'id' | 'tenantId'>,
  body: ChannelConfig,
): Promise<{ kind: ChannelKindName; target: string; sealedConfig: string }> {
  const [kind] = givenKinds(body);
  if (kind === undefined) throw new Error('a channel without a kind');
  const config: ChannelConfig = { [kind]: body[kind] };
  const allowsPrivate = allowsPrivateFor(tenantId, await readSettings(deps));
  const example = requestOf(config, { summary: '', detail: null, footer: '', isGood: true });
  checkedDelivery(example, kind, allowsPrivate);
  const sealedConfig = await sealInstanceSecret(deps, channelConfigPlace(id), config);
  return { kind, target: targetOf(config), sealedConfig };
}

function throwTaken(error: unknown, name: string): never {
  if (!violates(error, 'UNIQUE')) throw error;
  throw new ApiError(
    'conflict',
    `There is a notification channel with the name "${name}": take another name.`,
  );
}
