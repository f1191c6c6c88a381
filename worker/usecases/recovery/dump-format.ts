/**
 * A dump in the bucket: `dumps/<id>/00001.jsonl.gz` and so on, and, written last, `dumps/<id>/manifest.json`. A part is lines of JSON: an
 * object names the table and columns of the arrays that follow, one array per row. local/restore/ reads it.
 */
import { type DumpedRow, rowNumber, type SchemaEntry } from '../../store/instance/dump-store.ts';

export interface Manifest {
  version: 1;
  id: string;
  startedAt: string;
  finishedAt: string;
  /** Whether all rows were read at one moment. */
  isOneMoment: boolean;
  parts: number;
  rows: number;
  schema: SchemaEntry[];
}

export const dumpPrefix = (id: string) => `dumps/${id}/`;
export const partKey = (id: string, part: number) =>
  `${dumpPrefix(id)}${String(part).padStart(5, '0')}.jsonl.gz`;
export const manifestKey = (id: string) => `${dumpPrefix(id)}manifest.json`;

/** Lines of JSON with these rows; empty for none. */
export function linesOf(table: string, rows: readonly DumpedRow[]): string {
  const [first] = rows;
  if (!first) return '';
  const columns = Object.keys(first).filter((name) => name !== rowNumber);
  const lines = rows.map((row) => JSON.stringify(columns.map((column) => row[column])));
  return `${[JSON.stringify({ table, columns }), ...lines].join('\n')}\n`;
}

export async function gzip(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export const bytesOf = (text: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(new TextEncoder().encode(text));
