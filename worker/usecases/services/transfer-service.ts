/** A service moves to another project, with its variables, token, webhook, domains, deployments and what rollbacks need. */
import type { ProxyResult } from '../../../protocol/host-task.ts';
import { ApiError, absent } from '../../domain/errors.ts';
import { isStaticSite } from '../../domain/service-kind.ts';
import type { SecretPlace } from '../../security/secret-envelope.ts';
import {
  gitTokenPlace,
  snapshotPlace,
  variablePlace,
  webhookSecretPlace,
} from '../../security/secret-places.ts';
import type { KeyScope, ProjectRow } from '../../store/project-store.ts';
import type { ServiceRow } from '../../store/service-store.ts';
import type { ServiceView } from '../../store/service-view-store.ts';
import { violates } from '../../store/store-failure.ts';
import {
  readTransfer,
  type SealedForRow,
  type Transfer,
  type TransferRows,
  writeTransfer,
} from '../../store/transfer-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { probeService } from '../domains/probe-service.ts';

/** Variables or names that others write at the same moment: each round that loses looks again at what is there. */
const attemptsMax = 5;

export interface Transferred {
  service: ServiceView;
  project: ProjectRow;
  /** Those of the project, the service among them. */
  services: ServiceView[];
  proxy: ProxyResult;
}

/**
 * Transfers a service. What runs goes on as it is; network and variables of the new project apply from the next deployment.
 * @param scope of the key, which must see both projects
 * @throws ApiError `not_found` for a target that the key can't see; `conflict` for the same project, a slug that is taken there, a
 *   secret that does not decrypt, or variables that keep changing.
 */
export async function transferService(
  deps: Dependencies,
  loaded: { service: ServiceRow; project: ProjectRow },
  { scope, targetId }: { scope: KeyScope; targetId: string },
): Promise<Transferred> {
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    const rows = await readTransfer(deps.db, scope, { serviceId: loaded.service.id, targetId });
    const { target, service } = movable(rows, loaded);
    const sealed = await sealAnew(deps, rows, { from: loaded.project, to: target });
    const services = await write(deps, { ...sealed, service, targetId, seen: rows, at: deps.now() });
    const view = services?.find((one) => one.service.id === service.id);
    if (services && !view) throw absent('service');
    if (services && view) {
      return {
        service: view,
        project: { ...target, updatedAt: view.service.updatedAt },
        services,
        proxy: withNetworkNote(await probeService(deps, view), view, loaded.project),
      };
    }
  }
  throw new ApiError(
    'conflict',
    'The variables of the service are being changed by other requests: try again.',
  );
}

/** @throws ApiError unless the service may move as it was read. */
function movable(
  { target, service, namesake, isImporting }: TransferRows,
  loaded: { service: ServiceRow; project: ProjectRow },
): { target: ProjectRow; service: ServiceRow } {
  if (!target) throw absent('project');
  if (!service) throw absent('service');
  if (target.id === loaded.project.id) {
    throw new ApiError('conflict', `The service is in the project "${target.name}" already.`);
  }
  if (service.projectId !== loaded.project.id) {
    throw new ApiError('conflict', 'The service was transferred by another request meanwhile.');
  }
  // Where it reads is sealed with the key of this project.
  if (isImporting) {
    throw new ApiError('conflict', 'An import into this database is at work: wait for its end, or abort it.');
  }
  if (namesake) {
    throw new ApiError(
      'conflict',
      `The project "${target.name}" has a service with the slug "${service.slug}" already, "${namesake.name}". Slugs stay through renames: delete or transfer that service first, or create this one anew under another name.`,
    );
  }
  return { target, service };
}

/** A container keeps its network for life: what runs is moved by nothing but the next deployment. */
function withNetworkNote(
  { ok, detail }: ProxyResult,
  { service }: ServiceView,
  { name }: ProjectRow,
): ProxyResult {
  if (service.lastDeployedAt === null || isStaticSite(service)) return { ok, detail };
  const note = `What runs stays in the private network of the project "${name}" until the next deployment of the service: deploy it to reach the services of its new project, and no longer those of the old one.`;
  return { ok, detail: `${detail} ${note}` };
}

interface Keys {
  from: ProjectRow;
  to: ProjectRow;
}

/** Opens with the one key and seals with the other. */
async function sealAnew(deps: Dependencies, rows: TransferRows, keys: Keys) {
  const { service, variables, snapshots } = rows;
  const again = (place: SecretPlace, sealed: string) => resealed(deps, keys, place, sealed);
  const newVariables = await Promise.all(
    variables.map(async ({ id, key, sealedValue }): Promise<SealedForRow> => {
      const sealed = await again(variablePlace(id), sealedValue);
      if (sealed !== null) return { id, sealed };
      throw unreadable(`The variable ${key} of the service does`);
    }),
  );
  const serviceId = service?.id ?? '';
  const token = service?.sealedGitToken ?? null;
  const sealedGitToken = token && (await again(gitTokenPlace(serviceId), token));
  if (token !== null && sealedGitToken === null) throw unreadable('The repository token of the service does');
  const secret = rows.sealedWebhookSecret;
  const sealedWebhookSecret = secret && (await again(webhookSecretPlace(serviceId), secret));
  if (secret !== null && sealedWebhookSecret === null)
    throw unreadable('The webhook secret of the service does');
  // One that does not open starts nothing any more: it is left behind.
  const newSnapshots = await Promise.all(
    snapshots.map(async ({ id, sealed }) => ({ id, sealed: await again(snapshotPlace(id), sealed) })),
  );
  return {
    variables: newVariables,
    sealedGitToken,
    sealedWebhookSecret,
    snapshots: newSnapshots.flatMap(({ id, sealed }) => (sealed === null ? [] : [{ id, sealed }])),
  };
}

/** @returns null when it does not open. */
async function resealed(
  { envelope }: Dependencies,
  { from, to }: Keys,
  place: SecretPlace,
  sealed: string,
): Promise<string | null> {
  let clear: string;
  try {
    clear = await envelope.open(from.wrappedDataKey, from.id, place, sealed);
  } catch (error) {
    console.error(`${place.table}.${place.column} of ${place.rowId} does not open`, error);
    return null;
  }
  return envelope.seal(to.wrappedDataKey, to.id, place, clear);
}

function unreadable(what: string): ApiError {
  return new ApiError(
    'conflict',
    `${what} not decrypt, so it can't be taken along: set it again or remove it, then transfer.`,
  );
}

/** @returns undefined when something has changed since it was read: nothing was written. */
async function write({ db }: Dependencies, transfer: Transfer): Promise<ServiceView[] | undefined> {
  try {
    return await writeTransfer(db, transfer);
  } catch (error) {
    if (violates(error, 'NOT NULL') || violates(error, 'UNIQUE')) return undefined;
    throw error;
  }
}
