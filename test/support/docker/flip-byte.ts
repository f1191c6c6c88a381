import { open } from 'node:fs/promises';

/** Changes one byte in the middle of a file to another value. */
export async function flipByte(path: string, sizeBytes: number): Promise<void> {
  const file = await open(path, 'r+');
  const at = Math.floor(sizeBytes / 2);
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, at);
  await file.write(Buffer.from([(buffer[0] ?? 0) ^ 0x55]), 0, 1, at);
  await file.close();
}
