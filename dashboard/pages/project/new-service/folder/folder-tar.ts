/** Packs files into a gzipped tar without a library. The same files give the same bytes, so an unchanged folder is not sent again. */
import type { DroppedFolder } from './dropped-folder.ts';

const block = 512;
const encoder = new TextEncoder();

/** A browser does not say which files are executable: those that begin like a script are. */
const isScript = async (file: File) => (await file.slice(0, 2).text()) === '#!';

/** @returns the archive; it is in memory */
export async function packedFolder({ files }: DroppedFolder): Promise<Blob> {
  const parts: BlobPart[] = [];
  for (const { path, file } of files) {
    const mode = (await isScript(file)) ? 0o755 : 0o644;
    if (encoder.encode(path).length > 100) parts.push(...longName(path));
    parts.push(header({ name: path, size: file.size, mode, type: '0' }), file, padding(file.size));
  }
  parts.push(new Uint8Array(block * 2));
  const gzip = new Blob(parts).stream().pipeThrough(new CompressionStream('gzip'));
  return await new Response(gzip).blob();
}

/** The name as an extended header (POSIX.1-2001, pax), whose record begins with its own length. */
function longName(path: string): BlobPart[] {
  const rest = ` path=${path}\n`;
  const bytes = encoder.encode(rest).length;
  let length = bytes + String(bytes).length;
  if (String(length).length > String(bytes).length) length = bytes + String(length).length;
  const record = encoder.encode(`${length}${rest}`);
  return [
    header({ name: 'PaxHeader', size: record.length, mode: 0o644, type: 'x' }),
    record as BlobPart,
    padding(record.length),
  ];
}

const padding = (size: number) => new Uint8Array((block - (size % block)) % block);

interface Entry {
  name: string;
  size: number;
  mode: number;
  /** `0` a file, `x` an extended header. */
  type: '0' | 'x';
}

/** The fields and their places: https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html (ustar). */
function header({ name, size, mode, type }: Entry): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(block);
  const write = (text: string, at: number) => bytes.set(encoder.encode(text), at);
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0');
  bytes.set(encoder.encode(name).subarray(0, 100), 0);
  write(octal(mode, 7), 100);
  write(octal(0, 7), 108);
  write(octal(0, 7), 116);
  write(octal(size, 11), 124);
  write(octal(0, 11), 136);
  write(' '.repeat(8), 148);
  write(type, 156);
  write('ustar\0', 257);
  write('00', 263);
  write(
    octal(
      bytes.reduce((sum, byte) => sum + byte, 0),
      6,
    ),
    148,
  );
  bytes.set([0, 0x20], 154);
  return bytes;
}
