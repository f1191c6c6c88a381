/** Refuses a dump that can't fit, before it is loaded: a server over its container's memory limit is killed by the kernel. */
import type { ArchiveFile, FreshPlace } from '../../archive/archive.ts';
import { firstBytes } from '../../archive/file-import.ts';
import { toolWords } from '../../archive/run-tool.ts';
import { EngineError } from '../../engine-error.ts';

/** The auxiliary fields are at the beginning of the file. */
const headBytes = 1024;
const field = 'used-mem';
/** The limits of the container's own control group, version 2 and 1. https://docs.kernel.org/admin-guide/cgroup-v2.html */
const limitFiles = ['/sys/fs/cgroup/memory.max', '/sys/fs/cgroup/memory/memory.limit_in_bytes'];

/** @throws EngineError with both numbers */
export async function refuseTooMuchMemory(place: FreshPlace, file: ArchiveFile): Promise<void> {
  const needed = usedMemory(await firstBytes(file, headBytes));
  const limit = await memoryLimit(place);
  if (needed === undefined || limit === undefined || needed <= limit) return;
  throw new EngineError(
    'unsupported',
    `The data of this file used ${megabytes(needed)} of memory where it was dumped, and this service may use ${megabytes(limit)}: raise its memoryLimitMb, deploy it, and try again.`,
  );
}

/**
 * The memory that the server used when it wrote the dump; `undefined` if the file does not contain it. The number is a string of RDB after
 * its name: an integer with 8, 16 or 32 bits, or digits. https://github.com/redis/redis/blob/8.0/src/rdb.c, `rdbSaveAuxField`
 */
export function usedMemory(head: Buffer): number | undefined {
  const found = head.indexOf(field);
  if (found < 0 || found + field.length + 5 > head.length) return undefined;
  const at = found + field.length;
  const type = head.readUInt8(at);
  if (type === 0xc0) return head.readInt8(at + 1);
  if (type === 0xc1) return head.readInt16LE(at + 1);
  if (type === 0xc2) return head.readInt32LE(at + 1);
  const digits = head.subarray(at + 1, at + 1 + type).toString('latin1');
  return /^\d+$/.test(digits) ? Number(digits) : undefined;
}

/** The limit in bytes; `undefined` without a limit. */
async function memoryLimit(place: FreshPlace): Promise<number | undefined> {
  for (const path of limitFiles) {
    const { code, printed } = await toolWords(place, ['cat', path]);
    const limit = Number(printed.trim());
    // Version 1 shows a number near 2^63 without a limit.
    if (code === 0) return Number.isNaN(limit) || limit > 2 ** 60 ? undefined : limit;
  }
  return undefined;
}

const megabytes = (bytes: number) => `${Math.ceil(bytes / 1e6).toLocaleString('en-GB')} MB`;
