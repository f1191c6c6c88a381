/** Log drains: create, change, delete. Hosts get them at once, or when they connect. */
import { type DrainTarget, drainsMax, drainTargetSchema } from '../../../protocol/logs/drains.ts';
import { ApiError, absent } from '../../domain/errors.ts';
import {
  type DrainPatch,
  type NewDrain,
  renewedSigning,
  type Signing,
  shownTarget,
  targetOf,
} from '../../domain/logs/log-drains.ts';
import { isPrivateHost } from '../../domain/names/private-host.ts';
import { allowsPrivateFor, checkedWebhookUrl } from '../../domain/names/webhook-url.ts';
import { logDrainTargetPlace } from '../../security/secret-places.ts';
import { issueWebhookSecret } from '../../security/standard-webhook.ts';
import {
  deleteLogDrain,
  insertLogDrain,
  type LogDrainRow,
  listDrainHosts,
  updateLogDrain,
} from '../../store/logs/log-drain-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { readSettings } from '../instance/change-settings.ts';
import { openInstanceSecret, sealInstanceSecret } from '../seal-instance-secret.ts';

type Needs = Pick<Dependencies, 'db' | 'now' | 'hubs' | 'envelope' | 'fillRandom'>;

export interface ChangedDrain {
  row: LogDrainRow;
  /** Signs the requests of an `http` receiver; `null` for another kind, or if the receiver was not changed. */
  signingSecret: string | null;
}

interface Owner {
  projectId: string;
  tenantId: string;
}

/** @throws ApiError `invalid_request` for an address that is not allowed; `quota_exceeded` */
export async function createLogDrain(
  deps: Needs & Pick<Dependencies, 'newId'>,
  owner: Owner,
  body: NewDrain,
): Promise<ChangedDrain> {
  const id = deps.newId('logDrain');
  const at = deps.now();
  const { name, level, enabled } = body;
  const given = await receiverOf(deps, { id }, owner.tenantId, body);
  if (!given) throw new Error('a drain without a receiver');
  const { signingSecret, ...receiver } = given;
  const row = {
    id,
    projectId: owner.projectId,
    name,
    ...receiver,
    level,
    enabled,
    createdAt: at,
    updatedAt: at,
  };
  if ((await insertLogDrain(deps.db, row)).length === 0)
    throw new ApiError('quota_exceeded', `A project can have ${drainsMax} log drains: delete one.`);
  await tellHosts(deps, owner.projectId);
  return { row, signingSecret };
}

/** A new receiver gets the waiting lines. @throws ApiError as `createLogDrain`; `not_found`; `conflict` for too many new secrets */
export async function changeLogDrain(
  deps: Needs,
  { drain, tenantId }: { drain: LogDrainRow; tenantId: string },
  body: DrainPatch,
): Promise<ChangedDrain> {
  const { name = drain.name, level = drain.level, enabled = drain.enabled } = body;
  const given = await receiverOf(deps, drain, tenantId, body);
  const { signingSecret = null, ...receiver } = given ?? {};
  const changes = { name, level, enabled, ...receiver, updatedAt: deps.now() };
  const [row] = await updateLogDrain(deps.db, drain.id, changes);
  if (!row) throw absent('logDrain');
  await tellHosts(deps, row.projectId);
  return { row, signingSecret };
}

export async function removeLogDrain(deps: Needs, { id, projectId }: LogDrainRow): Promise<void> {
  await deleteLogDrain(deps.db, id);
  await tellHosts(deps, projectId);
}

/** The receiver with its secrets. @throws ApiError `conflict` if it can't be decrypted */
export const openDrainTarget = (
  deps: Pick<Dependencies, 'envelope'>,
  { id, sealedTarget }: Pick<LogDrainRow, 'id' | 'sealedTarget'>,
): Promise<DrainTarget> =>
  openInstanceSecret(deps, logDrainTargetPlace(id), sealedTarget, drainTargetSchema, `the log drain ${id}`);

/**
 * Undefined if the body does not change the receiver. An `http` receiver keeps its secret, unless a new one is requested.
 * @param drain without fields for a new drain
 */
async function receiverOf(
  deps: Needs,
  { id, kind, sealedTarget }: Pick<LogDrainRow, 'id'> & Partial<LogDrainRow>,
  tenantId: string,
  body: DrainPatch,
) {
  const { newSigningSecret = false } = body;
  const isKnown = kind === 'http' && sealedTarget && (body.http || newSigningSecret);
  const before = isKnown ? await openDrainTarget(deps, { id, sealedTarget }) : undefined;
  const known = before?.kind === 'http' ? before : undefined;
  if (newSigningSecret && !body.http && !known)
    throw new ApiError(
      'invalid_request',
      'The field "newSigningSecret" is only for a receiver of the kind "http".',
    );
  const isNew = !known || newSigningSecret;
  const signing = isNew
    ? renewedSigning(issueWebhookSecret(deps.fillRandom), known, deps.now())
    : signingOf(known);
  const target =
    targetOf(body, signing) ?? (newSigningSecret && known ? { ...known, ...signing } : undefined);
  if (!target) return undefined;
  assertPublic(target, allowsPrivateFor(tenantId, await readSettings(deps)));
  return {
    ...{ kind: target.kind, target: shownTarget(target) },
    sealedTarget: await sealInstanceSecret(deps, logDrainTargetPlace(id), target),
    signingSecret: target.kind === 'http' && isNew ? signing.secret : null,
  };
}

const signingOf = ({ secret, former, earlier }: Signing): Signing => ({
  secret,
  ...(former && { former }),
  ...(earlier && { earlier }),
});

/** Checks the text of the address; the host checks the resolved address. @throws ApiError `invalid_request` */
function assertPublic(target: DrainTarget, allowsPrivate: boolean): void {
  if (target.kind !== 'syslog') checkedWebhookUrl(target.url, `${target.kind}.url`, allowsPrivate);
  else if (!allowsPrivate && isPrivateHost(target.host))
    throw new ApiError(
      'invalid_request',
      'The field "syslog.host" must not be a private address, unless the setting "allowPrivateEventWebhook" is true.',
    );
}

/** Disconnected hosts get the drains when they connect. */
async function tellHosts({ db, hubs, now }: Needs, projectId: string): Promise<void> {
  const hosts = await listDrainHosts(db, projectId, now());
  await Promise.all(hosts.map(({ id }) => hubs.sendSetting(id, 'log-drains')));
}
