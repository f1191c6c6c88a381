/** Rotation of ENCRYPTION_KEY: while a previous key is set, everything that it sealed is sealed again with the current one. */

import {
  countSealedByKey,
  listSealedByOthers,
  replaceSealedRows,
} from '../../store/instance/sealed-row-store.ts';
import type { SealedRow } from '../../store/sql/sealed-columns.ts';
import type { Dependencies } from '../dependencies.ts';

/** Rows per minute: 10 ms of processor time, the limit of a run on the free plan, suffice for many times as many. */
const rowsPerRun = 50;

type Needs = Pick<Dependencies, 'db' | 'envelope'>;

/**
 * One step, run every minute. Each row is replaced by itself and only if it is as it was read, so the steps can stop, repeat and overlap
 * anywhere: at every moment each row is sealed with one of the two keys.
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
  /** Names of the keys; a name says nothing about its key. */
  key: string;
  previousKey: string | null;
  /** Rows that wait to be sealed with the current key. */
  rowsToReseal: number;
  /** Rows that none of the keys opens: one was removed too early. */
  rowsWithoutKey: number;
}

/** How far a rotation is. @throws Error if a key is missing or malformed */
export async function readEncryptionStatus({ db, envelope }: Needs): Promise<EncryptionStatus> {
  const [{ current, previous }, counts] = await Promise.all([envelope.keyNames(), countSealedByKey(db)]);
  // Rows of before keys had names may be of either key.
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

/** @returns null if no key opens the row, which is logged */
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
