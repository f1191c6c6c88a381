import type { EngineName } from '../../../protocol/database.ts';
import { SourceUrlError, type UrlSourceKind } from '../../../protocol/import-source.ts';
import { urlSourceOf } from '../../domain/databases/import-sources.ts';
import { ApiError } from '../../domain/errors.ts';
import { importSourcePlace } from '../../security/secret-places.ts';
import {
  findImport,
  type ImportRow,
  insertImport,
  type NewImport,
} from '../../store/imports/import-store.ts';
import type { ProjectRow } from '../../store/projects/project-store.ts';
import type { ServiceRow } from '../../store/services/service-store.ts';
import { dataIsBusy, newBackup } from '../backups/start-backup.ts';
import { askDatabase, assertDeployed, engineOfDatabase } from '../databases/ask-database.ts';
import type { Dependencies } from '../dependencies.ts';
import { assertDiskQuota } from '../within-quota.ts';

type Needs = Pick<Dependencies, 'db' | 'hubs' | 'newId' | 'now' | 'initiator' | 'envelope'>;

export interface WantedImport {
  source: UrlSourceKind;
  sourceUrl: string;
  /** Whether existing data may be replaced; it is backed up first. */
  replace: boolean;
  /** Whether to skip and report objects that the target refuses; only for PostgreSQL. */
  continueOnError: boolean;
}

type QueuedImport = Pick<
  NewImport,
  'id' | 'engine' | 'source' | 'sourceLabel' | 'sealedSource' | 'uploadId' | 'continueOnError'
> &
  Pick<WantedImport, 'replace'>;

/**
 * Queues an import on the host of the database.
 * @throws ApiError `unsupported` for a service that is not a database of the source's engine; `invalid_request` for a URL; `conflict` if the database
 *   is not deployed or not empty, or another job uses its data; and errors of askDatabase
 */
export async function startImport(
  deps: Needs,
  { service, project }: { service: ServiceRow; project: ProjectRow },
  { source, sourceUrl, replace, continueOnError }: WantedImport,
): Promise<ImportRow> {
  const engine = engineOfDatabase(service);
  const sourceLabel = labelled(source, sourceUrl);
  assertFits(engine, source);
  assertDeployed(service);
  if (!replace) await assertEmpty(deps, service);
  const id = deps.newId('import');
  const place = importSourcePlace(id);
  const sealedSource = await deps.envelope.seal(project.wrappedDataKey, project.id, place, sourceUrl);
  return queueImport(deps, service, {
    id,
    engine,
    source,
    sourceLabel,
    sealedSource,
    replace,
    uploadId: null,
    continueOnError,
  });
}

/** @throws ApiError `conflict` if another job uses the data; `quota_exceeded` if the tenant is above its disk quota */
export async function queueImport(
  deps: Pick<Needs, 'db' | 'hubs' | 'newId' | 'now' | 'initiator'>,
  service: ServiceRow,
  { replace, ...asked }: QueuedImport,
): Promise<ImportRow> {
  await assertDiskQuota(deps, service);
  const jobId = deps.newId('job');
  const runnerId = await insertImport(deps.db, {
    ...asked,
    ...{ jobId, serviceId: service.id, projectId: service.projectId },
    ...{ startedBy: deps.initiator, createdAt: deps.now() },
    safety: replace ? newBackup(deps, service, { storage: 'disk', trigger: 'pre-restore', jobId }) : null,
  });
  if (runnerId === undefined) throw dataIsBusy();
  await deps.hubs.wake(runnerId);
  const row = await findImport(deps.db, asked.id);
  if (row) return row;
  throw new ApiError('conflict', 'The service was deleted or transferred while the import started.');
}

function assertFits(engine: EngineName, source: UrlSourceKind): void {
  const { engines } = urlSourceOf[source];
  if (engines.includes(engine)) return;
  throw new ApiError(
    'unsupported',
    `The import "${source}" is only for ${engines.join(' and ')}, but this service runs ${engine}: use the route of that engine, such as POST /api/services/:serviceId/database/import/${urlSourceFor(engine)}.`,
  );
}

/** Each engine has one kind of URL source. */
const urlSourceFor = (engine: EngineName) =>
  Object.entries(urlSourceOf).find(([, { engines }]) => engines.includes(engine))?.[0];

function labelled(source: UrlSourceKind, sourceUrl: string): string {
  try {
    return urlSourceOf[source].label(sourceUrl);
  } catch (error) {
    if (error instanceof SourceUrlError)
      throw new ApiError('invalid_request', `The field "sourceUrl" is wrong: ${error.message}.`);
    throw error;
  }
}

/** Asserts that the database is empty. The host checks again when the import starts. */
export async function assertEmpty(deps: Pick<Needs, 'db' | 'hubs'>, service: ServiceRow): Promise<void> {
  const isRedis = engineOfDatabase(service) === 'redis';
  const held = isRedis ? await keyspaces(deps, service) : await tableNames(deps, service);
  const [first] = held;
  if (first === undefined) return;
  const others = held.length > 1 ? ` and ${held.length - 1} more` : '';
  throw new ApiError(
    'conflict',
    `The database is not empty: it has ${first}${others}. Send "replace": true to replace its data, which is backed up first.`,
  );
}

async function tableNames(deps: Pick<Needs, 'db' | 'hubs'>, service: ServiceRow): Promise<string[]> {
  const { tables } = await askDatabase(deps, service, { action: 'tables' });
  return tables.map(({ name }) => name);
}

/** `tables` lists one logical database of Redis; this lists all that have keys: https://redis.io/docs/latest/commands/info/ */
async function keyspaces(deps: Pick<Needs, 'db' | 'hubs'>, service: ServiceRow): Promise<string[]> {
  const { rows } = await askDatabase(deps, service, { action: 'query', text: 'INFO keyspace' });
  const [{ value } = { value: '' }] = rows;
  return [...String(value).matchAll(/^db(\d+):keys=(\d+)/gm)].map(
    ([, database, keys]) => `the logical database ${database} (keys: ${keys})`,
  );
}
