/** Transfers a service to another project, with its variables, files, token, webhook, domains, deployments and rollback data. */
import type { ProxyResult } from '../../../protocol/host-task.ts';
import { ApiError, absent } from '../../domain/errors.ts';
import { isStaticSite } from '../../domain/services/service-kind.ts';
import type { SecretPlace } from '../../security/secret-envelope.ts';
import {
  gitTokenPlace,
  serviceFilesPlace,
  snapshotPlace,
  variablePlace,
  webhookSecretPlace,
} from '../../security/secret-places.ts';
import {
  readTransfer,
  type SealedForRow,
  type Transfer,
  type TransferRows,
  writeTransfer,
} from '../../store/moves/transfer-store.ts';
import type { KeyScope, ProjectRow } from '../../store/projects/project-store.ts';
import type { ServiceRow } from '../../store/services/service-store.ts';
import type { ServiceView } from '../../store/services/service-view-store.ts';
import { violates } from '../../store/sql/store-failure.ts';
import { assertLevelIn, type HeldLevels } from '../assert-level-in.ts';
import type { Dependencies } from '../dependencies.ts';
import { probeService } from '../domains/probe-service.ts';

/** Limit for concurrent writes of variables or names; each lost round reads the rows again. */
const attemptsMax = 5;

export interface Transferred {
  service: ServiceView;
  project: ProjectRow;
  /** All services of the target project, including this one. */
  services: ServiceView[];
  proxy: ProxyResult;
}

/**
 * Transfers a service. The running version does not change; the new project's network and variables apply from the next deployment on.
 * @param scope scope of the key, which needs access to both projects
 * @throws ApiError `not_found` for a target that the key can't access; `forbidden` for a target in which the member may not write; `conflict` for the
 *   same project, a slug that is in use there, a secret that can't be decrypted, or variables that keep changing
 */
export async function transferService(
  deps: Dependencies,
  loaded: { service: ServiceRow; project: ProjectRow },
  { scope, targetId }: { scope: KeyScope & HeldLevels; targetId: string },
): Promise<Transferred> {
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    const rows = await readTransfer(deps.db, scope, { serviceId: loaded.service.id, targetId });
    const { target, service } = movable(rows, loaded);
    assertLevelIn(scope, target.id, 'write');
    const sealed = await resealAll(deps, rows, { from: loaded.project, to: target });
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

/** @throws ApiError if the service can't be transferred in its present state */
function movable(
  { target, service, namesake, isImporting }: TransferRows,
  loaded: { service: ServiceRow; project: ProjectRow },
): { target: ProjectRow; service: ServiceRow } {
  if (!target) throw absent('project');
  if (!service) throw absent('service');
  if (target.id === loaded.project.id) {
    throw new ApiError('conflict', `The service is already in the project "${target.name}".`);
  }
  if (service.projectId !== loaded.project.id) {
    throw new ApiError('conflict', 'Another request has transferred the service in the meantime.');
  }
  // The import's source URL is sealed with the key of the current project.
  if (isImporting) {
    throw new ApiError(
      'conflict',
      'An import into this database is in progress: wait until it ends, or abort it.',
    );
  }
  if (namesake) {
    throw new ApiError(
      'conflict',
      `The project "${target.name}" already has a service with the slug "${service.slug}", "${namesake.name}". Renaming does not change slugs: delete or transfer that service first, or create this one again under another name.`,
    );
  }
  return { target, service };
}

/** A container can't change its network, so the running version moves only with the next deployment. */
function withNetworkNote(
  { ok, detail }: ProxyResult,
  { service }: ServiceView,
  { name }: ProjectRow,
): ProxyResult {
  if (service.lastDeployedAt === null || isStaticSite(service)) return { ok, detail };
  const note = `The running version stays in the private network of the project "${name}" until the next deployment: deploy the service to connect it to its new project instead.`;
  return { ok, detail: `${detail} ${note}` };
}

interface Keys {
  from: ProjectRow;
  to: ProjectRow;
}

/** Decrypts with the old project's key and seals with the new project's key. */
async function resealAll(deps: Dependencies, rows: TransferRows, keys: Keys) {
  const { service, variables, snapshots } = rows;
  const again = (place: SecretPlace, sealed: string) => resealed(deps, keys, place, sealed);
  const newVariables = await Promise.all(
    variables.map(async ({ id, key, sealedValue }): Promise<SealedForRow> => {
      const sealed = await again(variablePlace(id), sealedValue);
      if (sealed !== null) return { id, sealed };
      throw unreadable(`The variable ${key} of the service`);
    }),
  );
  const serviceId = service?.id ?? '';
  const token = service?.sealedGitToken ?? null;
  const sealedGitToken = token && (await again(gitTokenPlace(serviceId), token));
  if (token !== null && sealedGitToken === null) throw unreadable('The git token of the service');
  const secret = rows.sealedWebhookSecret;
  const sealedWebhookSecret = secret && (await again(webhookSecretPlace(serviceId), secret));
  if (secret !== null && sealedWebhookSecret === null) throw unreadable('The webhook secret of the service');
  const sealedFiles = rows.sealedFiles && (await again(serviceFilesPlace(serviceId), rows.sealedFiles));
  if (rows.sealedFiles !== null && sealedFiles === null) throw unreadable('The list of files of the service');
  // A snapshot that can't be decrypted is useless, so it is not transferred.
  const newSnapshots = await Promise.all(
    snapshots.map(async ({ id, sealed }) => ({ id, sealed: await again(snapshotPlace(id), sealed) })),
  );
  return {
    variables: newVariables,
    sealedGitToken,
    sealedWebhookSecret,
    sealedFiles,
    snapshots: newSnapshots.flatMap(({ id, sealed }) => (sealed === null ? [] : [{ id, sealed }])),
  };
}

/** @returns null if it can't be decrypted */
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
    console.error(`${place.table}.${place.column} of ${place.rowId} can't be decrypted:`, error);
    return null;
  }
  return envelope.seal(to.wrappedDataKey, to.id, place, clear);
}

function unreadable(what: string): ApiError {
  return new ApiError(
    'conflict',
    `${what} can't be decrypted, so it can't be transferred: set it again or remove it, then transfer the service.`,
  );
}

/** @returns undefined if the rows have changed since they were read; nothing was written then */
async function write({ db }: Dependencies, transfer: Transfer): Promise<ServiceView[] | undefined> {
  try {
    return await writeTransfer(db, transfer);
  } catch (error) {
    if (violates(error, 'NOT NULL') || violates(error, 'UNIQUE')) return undefined;
    throw error;
  }
}
