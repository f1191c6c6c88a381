/** Reads a backup from its first byte to its last, and refuses any format that `dump` does not write. */
import type { Readable } from 'node:stream';
import type { z } from 'zod';
import { messageOf } from '../../../base/logger.ts';
import { readDescription } from '../../archive/description.ts';
import { TarReader } from '../../archive/tar-file.ts';
import { EngineError } from '../../engine-error.ts';
import { rowsFolder, rowsSuffix } from './dump.ts';
import {
  countsName,
  countsSchema,
  type Manifest,
  manifestName,
  manifestSchema,
  type SavedTable,
  tablesOf,
} from './manifest.ts';

export interface Visitor {
  /** Called first. */
  manifest?(manifest: Manifest): Promise<void>;
  /** @param rows must be read to their end @returns their number */
  table(table: SavedTable, place: number, rows: AsyncIterable<Buffer>): Promise<number>;
}

/** @throws EngineError if the backup is not complete; the visitor's errors */
export async function walk(source: Readable, visitor: Visitor): Promise<void> {
  const tar = new TarReader(source, damaged);
  try {
    const manifest = parsed(manifestSchema, await tar.take(manifestName));
    await visitor.manifest?.(manifest);
    const counts: number[] = [];
    for (const [place, table] of tablesOf(manifest.objects).entries())
      counts.push(await visitor.table(table, place, tar.folder(rowsFolder(place), rowsSuffix)));
    refuseOtherCounts(counts, parsed(countsSchema, await tar.take(countsName)).rows, manifest);
    await tar.end();
  } finally {
    tar.close();
  }
}

function refuseOtherCounts(counts: number[], expected: number[], { objects }: Manifest): void {
  for (const [place, { database, name }] of tablesOf(objects).entries()) {
    if (counts[place] === expected[place]) continue;
    throw damaged(`${database}.${name} has ${counts[place]} rows but ${expected[place]} were written`);
  }
}

function parsed<T>(schema: z.ZodType<T>, bytes: Buffer): T {
  try {
    return readDescription(schema, bytes);
  } catch (error) {
    throw damaged(messageOf(error));
  }
}

const damaged = (reason: string) =>
  new EngineError('unavailable', `The file is not a complete backup of ClickHouse: ${reason}.`);
