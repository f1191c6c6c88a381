/** Rotation of ENCRYPTION_KEY: while a previous key is set, everything that it sealed is sealed again with the current one. */

import {
  countSealedByKey,
  listSealedByOthers,
  replaceSealedRows,
} from '../../store/instance/sealed-row-store.ts';
import type { SealedRow } from '../../store/sql/sealed-columns.ts';
import type { Dependencies } from '../dependencies.ts';

/** Rows per minute. A run has 10 ms of processor time on the free plan, which is enough for many times this number. */
const rowsPerRun = 50;

type Needs = Pick<Dependencies, 'db' | 'envelope'>;

/**
 * One step, run every minute. Each row is replaced separately, and only if it has not changed since it was read, so steps can stop,
 * repeat and overlap anywhere: each row is always sealed with one of the two keys.
 */
export async function rewrapSecrets({ db, envelope }: Needs, limit = rowsPerRun): Promise<void> {
  const { current, previous } = await envelope.keyNames();
  if (previous === null) return;
  const rows = await listSealedByOthers(db, current, limit);
  const sealedAgain = await Promise.all(rows.map((row) => resealed(envelope, row)));
  await replaceSealedRows(
    db,
    sealedAgain.filter((row) => row !== null),
  );
}

export interface EncryptionStatus {
  /** Names of the keys; a name reveals nothing about its key. */
  key: string;
  previousKey: string | null;
  /** Number of rows that wait to be sealed with the current key. */
  rowsToReseal: number;
  /** Number of rows that no key can decrypt, because a key was removed too early. */
  rowsWithoutKey: number;
}

/** Progress of a rotation. @throws Error if a key is missing or malformed */
export async function readEncryptionStatus({ db, envelope }: Needs): Promise<EncryptionStatus> {
  const [{ current, previous }, counts] = await Promise.all([envelope.keyNames(), countSealedByKey(db)]);
  // Rows from the time before keys had names may be sealed with either key.
  const rowsToReseal = previous === null ? 0 : (counts.get(previous) ?? 0) + (counts.get('v1') ?? 0);
  const known = [current, previous, 'v1'];
  const others = [...counts].filter(([name]) => !known.includes(name));
  return {
    key: current,
    previousKey: previous,
    rowsToReseal,
    rowsWithoutKey: others.reduce((sum, [, count]) => sum + count, 0),
  };
}

/** @returns null if no key can decrypt the row, which is logged */
async function resealed(envelope: Needs['envelope'], row: SealedRow) {
  try {
    return { ...row, resealed: await sealAgain(envelope, row) };
  } catch (error) {
    console.error(`${row.table}.${row.column} of ${row.rowId} can't be sealed with the new key:`, error);
    return null;
  }
}

async function sealAgain(envelope: Needs['envelope'], row: SealedRow): Promise<string> {
  const { table, column, rowId, sealed } = row;
  if (table === 'projects') return envelope.rewrapDataKey(sealed, rowId);
  const place = { table, column, rowId };
  return envelope.sealForInstance(place, await envelope.openForInstance(place, sealed));
}
