/**
 * New data keys for all projects of a tenant, in case the old ones have leaked. Each project first gets a new key before the old one; then
 * every row is sealed again with the new key, some per minute; then the old key is removed. Each step replaces only rows that have not
 * changed since they were read, so steps can stop, repeat and overlap anywhere: every row can be decrypted at any time.
 */
import { ApiError } from '../../domain/errors.ts';
import { sealingDataKey } from '../../security/secret-envelope.ts';
import {
  type DataKeyRow,
  dropOldDataKey,
  listDataKeysOf,
  listRenewedDataKeys,
  writeRenewedDataKeys,
} from '../../store/instance/data-key-store.ts';
import {
  countSealedByOlderDataKeys,
  listSealedByOlderDataKeys,
  replaceSealedRows,
} from '../../store/instance/sealed-row-store.ts';
import type { SealedRow } from '../../store/sql/sealed-columns.ts';
import type { Dependencies } from '../dependencies.ts';

/** Projects and rows per minute. A snapshot can have 350 KB, and a statement can have 2 MB. */
const projectsPerRun = 20;
const rowsPerRun = 50;
const bytesPerRun = 600_000;
/** The old key remains at least this long: a request that has already read it may still write with it, and no request takes this long. */
const graceMs = 15 * 60_000;
/** Limit for projects whose key changes during the replacement, because they are deleted, restored or wrapped again. */
const attemptsMax = 4;

type Needs = Pick<Dependencies, 'db' | 'envelope' | 'now'>;

export interface DataKeyStatus {
  /** Number of data keys: one for each project, including deleted ones that can be restored. */
  projects: number;
  /** Number of projects that still have their previous key as well. */
  projectsInProgress: number;
  /** Number of rows that wait to be sealed with the new key. */
  rowsToReseal: number;
  /** Creation time of the oldest key, in epoch milliseconds; `null` if there are no projects. */
  oldestKeyMadeAt: number | null;
}

/** Progress of the replacement. @throws Error if no encryption key can unwrap a data key */
export async function readDataKeyStatus(
  { db, envelope }: Omit<Needs, 'now'>,
  tenantId: string,
): Promise<DataKeyStatus> {
  const dataKeys = await listDataKeysOf(db, tenantId);
  const inProgress = dataKeys.filter(isInProgress);
  return {
    projects: dataKeys.length,
    projectsInProgress: inProgress.length,
    rowsToReseal:
      inProgress.length === 0
        ? 0
        : await countSealedByOlderDataKeys(
            db,
            await Promise.all(inProgress.map((row) => named(envelope, row))),
          ),
    oldestKeyMadeAt: dataKeys.length === 0 ? null : Math.min(...dataKeys.map(({ madeAt }) => madeAt)),
  };
}

/**
 * Creates new data keys for all present projects of the tenant. Cron does the rest. @throws
 * ApiError `conflict` while the previous replacement is running, because a project has two keys at
 * most
 */
export async function renewDataKeys(
  deps: Needs,
  tenant: { id: string; name: string },
): Promise<DataKeyStatus> {
  const { db, envelope, now } = deps;
  const at = now();
  const before = await listDataKeysOf(db, tenant.id);
  const inProgress = before.filter(isInProgress).length;
  if (inProgress > 0) throw stillInProgress(tenant.name, inProgress);
  const wanted = new Set(before.map(({ projectId }) => projectId));
  let left = before;
  for (let attempt = 1; left.length > 0; attempt++) {
    if (attempt > attemptsMax) {
      throw new ApiError(
        'conflict',
        'Projects of the tenant are being changed by other requests: try again.',
      );
    }
    await writeRenewedDataKeys(
      db,
      await Promise.all(
        left.map(async ({ projectId, wrapped }) => ({
          projectId,
          wrapped,
          madeAt: at,
          next: await envelope.renewDataKey(wrapped, projectId),
        })),
      ),
    );
    const after = await listDataKeysOf(db, tenant.id);
    left = after.filter((row) => wanted.has(row.projectId) && !isInProgress(row) && row.madeAt < at);
  }
  return readDataKeyStatus(deps, tenant.id);
}

/** One step for all tenants, run every minute. */
export async function resealWithNewDataKeys({ db, envelope, now }: Needs, limit = rowsPerRun): Promise<void> {
  const dataKeys = await openable(envelope, await listRenewedDataKeys(db, projectsPerRun));
  if (dataKeys.length === 0) return;
  const wrappedOf = new Map(dataKeys.map(({ projectId, wrapped }) => [projectId, wrapped]));
  const names = dataKeys.map(({ projectId, keyName }) => ({ projectId, keyName }));
  const rows = fitting(await listSealedByOlderDataKeys(db, names, limit));
  const sealedAgain = await Promise.all(
    rows.map((row) => resealed(envelope, wrappedOf.get(row.projectId ?? '') ?? '', row)),
  );
  await replaceSealedRows(
    db,
    sealedAgain.filter((row) => row !== null),
  );
  const unreadable = rows.filter((_row, index) => sealedAgain[index] === null);
  const [first, ...rest] = dataKeys
    .filter(({ madeAt }) => madeAt <= now() - graceMs)
    .flatMap(({ keyName, ...row }) =>
      dropOldDataKey(
        db,
        { ...row, next: sealingDataKey(row.wrapped) },
        { keyName, unreadable: unreadable.filter(({ projectId }) => projectId === row.projectId).length },
      ),
    );
  if (first) await db.batch([first, ...rest]);
}

const isInProgress = ({ wrapped }: Pick<DataKeyRow, 'wrapped'>) => sealingDataKey(wrapped) !== wrapped;

const named = async (envelope: Needs['envelope'], { wrapped, projectId }: DataKeyRow) => ({
  projectId,
  keyName: await envelope.dataKeyName(wrapped, projectId),
});

/** The data keys with their names, except those that no encryption key can unwrap, which are logged. */
async function openable(envelope: Needs['envelope'], rows: readonly DataKeyRow[]) {
  const opened = await Promise.all(
    rows.map(async (row) => {
      try {
        return [{ ...row, ...(await named(envelope, row)) }];
      } catch (error) {
        console.error(`The data key of the project ${row.projectId} can't be opened:`, error);
        return [];
      }
    }),
  );
  return opened.flat();
}

/** The rows that fit into one run, at least one. */
function fitting(rows: readonly SealedRow[]): SealedRow[] {
  let bytes = 0;
  return rows.filter(({ sealed }, index) => {
    bytes += sealed.length;
    return index === 0 || bytes <= bytesPerRun;
  });
}

/** @returns null if neither key can decrypt the row, which is logged */
async function resealed(envelope: Needs['envelope'], wrapped: string, row: SealedRow) {
  const { table, column, rowId, sealed, projectId } = row;
  const place = { table, column, rowId };
  try {
    const clear = await envelope.open(wrapped, projectId ?? '', place, sealed);
    return { ...row, resealed: await envelope.seal(wrapped, projectId ?? '', place, clear) };
  } catch (error) {
    console.error(`${table}.${column} of ${rowId} can't be sealed with the new data key:`, error);
    return null;
  }
}

function stillInProgress(name: string, projects: number): ApiError {
  return new ApiError(
    'conflict',
    `New data keys of ${name} are still in progress in ${projects} project${projects === 1 ? '' : 's'}: wait until GET /api/system/tenants/:tenantId/data-keys says "projectsInProgress": 0.`,
  );
}
