import { newId } from '../../../protocol/ids.ts';
import { databaseEngines, defaultImageOf, engineOf } from '../../domain/databases/database-engines.ts';
import { assertEngineTakes, withEngineVariables } from '../../domain/databases/database-variables.ts';
import {
  assertSettingsFit,
  changedEngineSettings,
} from '../../domain/databases/engine-settings/engine-settings.ts';
import { noFreePort, placeService } from '../../domain/hosts/placement.ts';
import { settingsOf } from '../../domain/instance/settings.ts';
import { candidateRange, generatedHostname } from '../../domain/names/host-names.ts';
import { isBuilt, isRouted, kindOf, sourceOf } from '../../domain/services/service-kind.ts';
import { assertServiceRules } from '../../domain/services/service-rules.ts';
import {
  assertSettingsOfKind,
  newColumns,
  newJsonColumns,
  type ServicePatch,
} from '../../domain/services/settings/service-settings.ts';
import { countedMemoryMb } from '../../domain/tenants/quotas.ts';
import { freeSlug, slugOf } from '../../domain/values/slug.ts';
import { assertListFits, assertScopeFits, type NewVariable } from '../../domain/variables/variable-fields.ts';
import { selectPlacementCandidates } from '../../store/hosts/placement-store.ts';
import { selectSettings } from '../../store/instance/settings-store.ts';
import type { ProjectRow } from '../../store/projects/project-store.ts';
import { refuseOverQuota } from '../../store/projects/tenant-store.ts';
import {
  hostPortColumn,
  insertService,
  type PortBlock,
  type ServiceRow,
  selectHostnames,
  selectServiceNames,
} from '../../store/services/service-store.ts';
import { type ServiceView, selectServiceView } from '../../store/services/service-view-store.ts';
import { insertVariables, type VariableRow } from '../../store/services/variable-store.ts';
import { violates } from '../../store/sql/store-failure.ts';
import { assertPublicHostname } from '../databases/assert-public-hostname.ts';
import type { Dependencies } from '../dependencies.ts';
import { retryNameClash } from '../retry-name-clash.ts';
import { withinQuota } from '../within-quota.ts';
import { assertReadableChecks } from './assert-readable-checks.ts';
import { sealGitToken, sealVariables } from './seal-service-secrets.ts';

export type NewService = ServicePatch & { name: string; env?: NewVariable[] | undefined };

/**
 * Creates a service: validates it, chooses its host, slug, port and host name, and writes it with its variables in one batch.
 * A database also gets the variables that its engine needs.
 * @throws ApiError `invalid_request`, `unsupported`, `no_runner`, `not_isolated`, `conflict`, `quota_exceeded`, `payload_too_large`
 */
export async function createService(
  deps: Dependencies,
  project: ProjectRow,
  body: NewService,
): Promise<ServiceView> {
  const kind = kindOf(body);
  const source = sourceOf(kind, body);
  const engine = engineOf(source);
  const defaults = newColumns(body, engine ? databaseEngines[engine].port : undefined);
  const engineSettings = changedEngineSettings(engine, {}, body.engineSettings ?? null);
  const fields = {
    kind,
    name: body.name,
    ...source,
    ...defaults,
    framework: engine,
    engineSettings,
    ...newJsonColumns(body),
    trafficRules: null,
    defaultImageRef: defaultImageOf(source),
  };
  assertServiceRules({ ...fields, imageUpdates: body.imageUpdates });
  assertSettingsOfKind(kind, body);
  assertSettingsFit(engine, engineSettings, defaults.memoryLimitMb);
  const env = engine ? withEngineVariables(engine, body.env ?? [], deps.fillRandom) : (body.env ?? []);
  assertListFits(env);
  for (const variable of env) {
    assertEngineTakes(engine, variable);
    assertScopeFits(isBuilt(fields), variable);
  }
  if (engine && body.databasePublicHostname) {
    await assertPublicHostname(deps, project, body.databasePublicHostname);
  }
  if (body.waitForChecks) {
    const repository = { repoUrl: source.repoUrl, hasStoredToken: false };
    await assertReadableChecks(deps.db, project.id, repository, body.gitToken);
  }
  const id = deps.newId('service');
  const sealedGitToken = await sealGitToken(deps, project, id, body.gitToken);
  const variables = await sealVariables(deps, project, id, env);
  return retryNameClash(async () => {
    const { names, hosts, settings, hostnames } = await readSurroundings(deps, project, body);
    const host = placeService(hosts, {
      tenantId: project.tenantId,
      projectHosts: names.map(({ runnerId }) => runnerId),
      wanted: body.runnerId,
    });
    const slug = freeSlug(slugOf(body.name, 'service'), new Set(names.map((other) => other.slug)));
    const hostname = () =>
      generatedHostname({ slug, projectSlug: project.slug }, settings.rootDomain, hostnames);
    const row = {
      ...newRow(id, project.id, deps.now()),
      ...fields,
      slug,
      sealedGitToken,
      runnerId: host.id,
      generatedHostname: isRouted(fields) ? hostname() : null,
      // A name below `localhost` is useless for a database on another machine, so the database gets a public name only with a root domain.
      ...(engine && body.databasePublicHostname === undefined && settings.rootDomain !== null
        ? { databasePublicHostname: hostname() }
        : {}),
    };
    const { webPorts, databasePorts, busyPorts } = host.facts;
    const block = engine ? { ports: databasePorts, busy: busyPorts } : { ports: webPorts, busy: [] };
    const asked = { services: 1, memoryMb: countedMemoryMb(row), diskMb: 0 };
    const service = await withinQuota(deps, project.tenantId, asked, () =>
      write(deps, project.tenantId, row, variables, { name: host.name, ...block }),
    );
    return { service, facts: host.facts, isConnected: host.connected, preferredDomain: null };
  });
}

/** The service that an earlier attempt created with this id. */
export async function findService(
  { db }: Pick<Dependencies, 'db'>,
  serviceId: string,
): Promise<ServiceView | undefined> {
  const [[view]] = await db.batch([selectServiceView(db, serviceId)]);
  return view;
}

/** The names, hosts and settings that limit a new service; one round trip. */
async function readSurroundings(
  { db, fillRandom }: Dependencies,
  project: ProjectRow,
  { name, runnerId }: Pick<NewService, 'name' | 'runnerId'>,
) {
  const { tenantId, id: projectId } = project;
  const [names, hosts, settings, hostnames] = await db.batch([
    selectServiceNames(db, project.id),
    selectPlacementCandidates(db, {
      tenantId,
      projectId,
      wanted: runnerId,
      start: newId('runner', fillRandom),
    }),
    selectSettings(db),
    selectHostnames(db, candidateRange(slugOf(name, 'service')), tenantId),
  ]);
  const taken = new Set(hostnames.map(({ hostname }) => hostname));
  return { names, hosts, settings: settingsOf(settings), hostnames: taken };
}

async function write(
  { db }: Dependencies,
  tenantId: string,
  row: Omit<ServiceRow, 'hostPort'>,
  variables: readonly VariableRow[],
  host: { name: string; ports: PortBlock; busy: readonly number[] },
): Promise<ServiceRow> {
  try {
    const [[service]] = await db.batch([
      insertService(db, row, host),
      insertVariables(db, row.projectId, variables),
      refuseOverQuota(db, tenantId, ['services', 'memoryMb', 'diskMb']),
    ]);
    if (service) return service;
    throw new Error('The insert of a service returned no row.');
  } catch (error) {
    if (!violates(error, 'NOT NULL', hostPortColumn)) throw error;
    throw noFreePort(host);
  }
}

/** Initial values of every new service. */
function newRow(id: string, projectId: string, now: number) {
  return {
    id,
    projectId,
    nextRunnerId: null,
    nextHostPort: null,
    detectedBuildMethod: null,
    routesRevision: 0,
    status: 'idle' as const,
    reachable: false,
    diskMb: null,
    crashed: false,
    stopped: false,
    trouble: null,
    sleep: null,
    suggestedKeys: [],
    sourceFiles: null,
    lastDeployedAt: null,
    createdAt: now,
    updatedAt: now,
  };
}
