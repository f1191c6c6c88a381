import { copyPartBytes } from '../../../protocol/backup-copy.ts';
import type { Range } from './blobs.ts';

/**
 * A range of an object as one stream, of which one piece at a time is asked for: what serves R2 on one machine holds a whole answer in
 * memory.
 * @param piece null: there is no such object
 */
export async function readPieces(
  key: string,
  { first, last }: Range,
  piece: (offset: number, length: number) => Promise<ReadableStream | null>,
  pieceBytes = copyPartBytes,
): Promise<ReadableStream | null> {
  const from = (offset: number) => piece(offset, Math.min(pieceBytes, last + 1 - offset));
  const begin = await from(first);
  if (begin === null || last + 1 - first <= pieceBytes) return begin;
  const { readable, writable } = new FixedLengthStream(last + 1 - first);
  const rest = async () => {
    await begin.pipeTo(writable, { preventClose: true });
    for (let offset = first + pieceBytes; offset <= last; offset += pieceBytes) {
      const next = await from(offset);
      if (next === null) throw new Error(`${key} was removed while it was read.`);
      await next.pipeTo(writable, { preventClose: true });
    }
    await writable.close();
  };
  // Its reader is told by the stream; one that has left has broken it.
  rest().catch((error: unknown) => writable.abort(error).catch(() => {}));
  return readable;
}
