import { ApiError } from '../domain/errors.ts';
import { candidateRange, generatedHostname } from '../domain/host-names.ts';
import { patchedSource } from '../domain/patched-source.ts';
import { namedHost } from '../domain/placement.ts';
import type { ServicePatch } from '../domain/service-fields.ts';
import { isRouted } from '../domain/service-kind.ts';
import { assertServiceRules } from '../domain/service-rules.ts';
import { settingsOf } from '../domain/settings.ts';
import { type PlacementCandidate, selectPlacementCandidates } from '../store/placement-store.ts';
import type { ProjectRow } from '../store/project-store.ts';
import {
  moveIdleService,
  type ServiceChanges,
  type ServiceRow,
  selectHostnames,
  updateService as updateRow,
} from '../store/service-store.ts';
import { type ServiceView, selectServiceView } from '../store/service-view-store.ts';
import { selectSettings } from '../store/settings-store.ts';
import type { Dependencies } from './dependencies.ts';
import { sealGitToken } from './seal-service-secrets.ts';
import { untilUnique } from './until-unique.ts';

interface Loaded {
  service: ServiceRow;
  project: ProjectRow;
}

/**
 * Changes the settings of a service; they take effect with its next deployment. The result must fit the rules of creation.
 * @throws ApiError `invalid_request`, `unsupported`, `conflict`, `not_found`.
 */
export async function updateService(
  deps: Dependencies,
  loaded: Loaded,
  patch: ServicePatch,
): Promise<ServiceView> {
  const { service } = loaded;
  const merged = { kind: service.kind, runtimeMode: patch.runtimeMode ?? service.runtimeMode };
  assertServiceRules(merged);
  const changes = await changesOf(deps, loaded, patch);
  const needsHostname = service.generatedHostname === null && isRouted(merged);
  const runnerId = patch.runnerId === service.runnerId ? undefined : patch.runnerId;
  if (!needsHostname && runnerId === undefined) return writeAndRead(deps, service, changes, undefined);
  return untilUnique(async () => {
    const { hosts, hostname } = await readSurroundings(deps, loaded);
    const all = needsHostname ? { ...changes, generatedHostname: hostname } : changes;
    return writeAndRead(deps, service, all, runnerId === undefined ? undefined : namedHost(hosts, runnerId));
  });
}

/** The columns that a patch sets; its source fields complete each other. */
async function changesOf(
  deps: Dependencies,
  { service, project }: Loaded,
  patch: ServicePatch,
): Promise<ServiceChanges> {
  const { gitToken, runnerId: _, repoFullName: _name, repoUrl: _url, imageRef: _image, ...plain } = patch;
  const source = patchedSource(service, patch);
  const sealed =
    gitToken === undefined ? {} : { sealedGitToken: await sealGitToken(deps, project, service.id, gitToken) };
  return { ...plain, ...source, ...sealed, updatedAt: deps.now() };
}

/** Where it could move to, and the host name that it would get. */
async function readSurroundings({ db }: Dependencies, { service, project }: Loaded) {
  const [hosts, settings, hostnames] = await db.batch([
    selectPlacementCandidates(db, project.tenantId),
    selectSettings(db),
    selectHostnames(db, candidateRange(service.slug)),
  ]);
  const { rootDomain } = settingsOf(settings);
  const taken = new Set(hostnames.map(({ hostname }) => hostname));
  const hostname = generatedHostname({ slug: service.slug, projectSlug: project.slug }, rootDomain, taken);
  return { hosts, hostname };
}

/** One round trip: the change and what the service is then. @param host undefined when it stays where it is. */
async function writeAndRead(
  { db }: Dependencies,
  service: ServiceRow,
  changes: ServiceChanges,
  host: PlacementCandidate | undefined,
): Promise<ServiceView> {
  const write = host
    ? moveIdleService(db, service, { ...changes, runnerId: host.id }, host.facts.webPorts)
    : updateRow(db, service.id, changes);
  const [, [view]] = await db.batch([write, selectServiceView(db, service.id)]);
  if (!view) throw new ApiError('not_found', 'This service was deleted meanwhile.');
  if (host && view.service.runnerId !== host.id) {
    throw new ApiError(
      'conflict',
      'The service runs, or is about to, on its host: this version moves only services of which nothing runs.',
    );
  }
  return view;
}
