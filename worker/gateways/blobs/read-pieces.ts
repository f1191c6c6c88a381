import { copyPartBytes } from '../../../protocol/backup-copy.ts';
import type { Range } from './blobs.ts';

/**
 * A range of an object as one stream. It is requested in pieces, because the local emulation of R2 holds a whole response in memory.
 * @param piece returns null if the object does not exist
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
      if (next === null) throw new Error(`${key} was deleted while it was read.`);
      await next.pipeTo(writable, { preventClose: true });
    }
    await writable.close();
  };
  // The reader gets errors through the stream; a disconnected reader has already broken it.
  rest().catch((error: unknown) => writable.abort(error).catch(() => {}));
  return readable;
}
