/** Carries out the plan of `up`: creates or changes what the plan says, and queues the deployment. */
import type { CallOptions, Deployment, Project, Service } from '../../client/client.ts';
import {
  headOfRemote,
  type Plan,
  type PlannedDatabase,
  type Source,
  sourceFields,
} from '../deployments/plan.ts';
import type { ServicePatch } from '../service-settings/assignments.ts';
import type { Session } from '../session.ts';
import { compare, type Values, variableList } from '../variables/env-file.ts';
import { pick, readVariables, setVariables } from '../variables/service-variables.ts';
import { allOrNothing, type Creation } from './creation.ts';
import { databaseBody } from './databases.ts';
import type { Host } from './hosts.ts';

export interface Wishes {
  settings: ServicePatch;
  /** The variables of `--env-file`. */
  variables: Values;
  /** The host of a new service. */
  host: Host | undefined;
  /** Deploy even if nothing has changed. */
  force: boolean;
}

type DeploymentBody = NonNullable<CallOptions<'POST /api/services/:serviceId/deployments'>['body']>;

export interface CarriedOut {
  service: Service;
  /** The body that deploys the service. */
  body: DeploymentBody;
  /**
   * What was queued: the service, or first the database that it needs. `nothing`: the live deployment is what would be deployed.
   */
  queued: { of: 'database' | 'service' | 'nothing'; deployment: Deployment };
}

/**
 * Creates what is missing, changes what exists, sends the folder, and queues the first deployment.
 * @throws what the API refuses, after everything that was created has been deleted
 */
export async function carryOut(session: Session, plan: Plan, wishes: Wishes): Promise<CarriedOut> {
  const { source } = plan;
  return allOrNothing(session, async (creation) => {
    const project = await creation.project(plan.project);
    const database = plan.database && (await databaseOf(session, creation, project, plan.database));
    const derived = database?.variables ?? {};
    const isNew = 'create' in plan.service;
    const service =
      'create' in plan.service ? await create(creation, project, plan, wishes, derived) : plan.service;
    return withArchive(session, source, async (archive) => {
      const live = isNew || wishes.force ? undefined : await liveVersion(session, service, plan, archive);
      if (live !== undefined && database?.isToBeStarted !== true) {
        await change(session, service, plan, wishes, derived);
        if (!(await waits(session, service)))
          return { service, body: {}, queued: { of: 'nothing', deployment: live } };
      }
      // A refused folder or an interrupted upload does not change a service that exists.
      const uploadId = await archive?.send(service);
      if (!isNew) await change(session, service, plan, wishes, derived);
      const body = { ...plan.version, ...(uploadId === undefined ? {} : { uploadId }) };
      if (database?.isToBeStarted) {
        const deployment = await startDeployment(session, database.service, {});
        return { service, body, queued: { of: 'database', deployment } };
      }
      const deployment = await startDeployment(session, service, body);
      return { service, body, queued: { of: 'service', deployment } };
    });
  });
}

export async function startDeployment(
  { client }: Session,
  { id: serviceId }: Service,
  body: DeploymentBody,
): Promise<Deployment> {
  const { deployment } = await client.call('POST /api/services/:serviceId/deployments', {
    params: { serviceId },
    ...(Object.keys(body).length === 0 ? {} : { body }),
  });
  return deployment;
}

interface Archive {
  checksum: string;
  /** @returns the id of the upload */
  send(service: Service): Promise<string>;
}

/** Loads the code for packing only when a folder is sent: it is larger than the rest of the command line. */
async function withArchive<Result>(
  session: Session,
  source: Source,
  use: (archive: Archive | undefined) => Promise<Result>,
): Promise<Result> {
  if (source.kind !== 'folder') return use(undefined);
  const { uploadFolder, withPackedFolder } = await import('../folder/upload-folder.ts');
  return withPackedFolder(session, source.list, (packed) =>
    use({ checksum: packed.checksum, send: ({ id }) => uploadFolder(session, id, packed) }),
  );
}

/** The live deployment, if it was built from exactly this source, nothing newer was tried since, and it works. */
async function liveVersion(
  { client, directory }: Session,
  service: Service,
  { source, formerSource }: Plan,
  archive: Archive | undefined,
): Promise<Deployment | undefined> {
  if (formerSource !== undefined || service.status !== 'active' || !isExact(source)) return undefined;
  const { deployments } = await client.call('GET /api/services/:serviceId/deployments', {
    params: { serviceId: service.id },
    query: { limit: 1 },
  });
  const [newest] = deployments;
  if (newest?.status !== 'running') return undefined;
  const isSame = await isSourceOf(newest, directory, source, archive);
  return isSame ? newest : undefined;
}

/** Whether the source says which version it is: a tag of an image may have moved, and a repository that is not here may have new commits. */
const isExact = (source: Source): boolean =>
  source.kind === 'image'
    ? source.image.includes('@sha256:')
    : source.kind === 'folder' || source.commit !== undefined;

async function isSourceOf(
  { sourceDigest, commitSha }: Deployment,
  directory: string,
  source: Source,
  archive: Archive | undefined,
): Promise<boolean> {
  if (source.kind === 'folder') return sourceDigest === archive?.checksum;
  if (source.kind === 'image') return true;
  if (commitSha !== source.commit || sourceDigest !== null) return false;
  // Others may have pushed since this clone last fetched.
  return (await headOfRemote(directory, source)) === source.commit;
}

/** Whether the live version lacks a saved variable, file or setting. */
async function waits({ client }: Session, { id: serviceId }: Service): Promise<boolean> {
  const overview = await client.call('GET /api/services/:serviceId/overview', { params: { serviceId } });
  const { pendingVariables, pendingBuildVariables, pendingFiles, pendingSettings } = overview;
  const all = [pendingVariables, pendingBuildVariables, pendingFiles, pendingSettings];
  return all.some((one) => one.length > 0);
}

/** The database, and the variable by which the service finds it. */
async function databaseOf(
  { client }: Session,
  creation: Creation,
  project: Project,
  planned: PlannedDatabase,
) {
  const service =
    'create' in planned.service
      ? await creation.service(project, databaseBody(planned.service.create, planned.engine))
      : planned.service;
  const { derivedVariables } = await client.call('GET /api/services/:serviceId/overview', {
    params: { serviceId: service.id },
  });
  const [url] = derivedVariables;
  const variables: Values = url ? { [url.key]: `\${${service.slug}.${url.key}}` } : {};
  return { service, variables, isToBeStarted: service.lastDeployedAt === null };
}

/** @param derived the variables of the database: `--env-file` takes precedence */
async function create(
  creation: Creation,
  project: Project,
  { service: planned, source }: Plan,
  { settings, variables, host }: Wishes,
  derived: Values,
): Promise<Service> {
  const env = variableList({ ...derived, ...variables });
  const service = await creation.service(project, {
    ...{ ...sourceFields(source), ...settings },
    name: 'create' in planned ? planned.create : planned.name,
    ...(env.length === 0 ? {} : { env }),
    ...(host === undefined ? {} : { runnerId: host.id }),
  });
  await creation.link({
    ...{ project: project.slug, service: service.slug },
    ...(host === undefined ? {} : { host: host.name }),
  });
  return service;
}

/** @param derived the variables of the database: what the service has takes precedence */
async function change(
  session: Session,
  service: Service,
  { source, formerSource }: Plan,
  { settings, variables }: Wishes,
  derived: Values,
): Promise<void> {
  const wanted = { ...derived, ...variables };
  if (Object.keys(wanted).length > 0) {
    const all = await readVariables(session, service);
    const { added, changed } = compare(wanted, Object.fromEntries(all.map(({ key, value }) => [key, value])));
    const replaced = changed.filter((name) => Object.hasOwn(variables, name));
    await setVariables(session, service, pick(wanted, [...added, ...replaced]));
  }
  const patch = { ...(formerSource === undefined ? {} : sourceFields(source)), ...settings };
  if (Object.keys(patch).length === 0) return;
  const reply = await session.client.call('PATCH /api/services/:serviceId', {
    params: { serviceId: service.id },
    body: patch,
  });
  for (const warning of reply.warnings ?? []) session.output.progress(warning);
}
