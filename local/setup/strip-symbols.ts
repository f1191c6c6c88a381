/**
 * Removes the names of symbols and the debugging information from a program, as `strip` of binutils does, which a server lacks. Node's own
 * build contains 18 MB of them. Traces of crashes stay readable: they use the dynamic symbols, which are part of the program.
 * https://refspecs.linuxfoundation.org/elf/gabi4+/contents.html
 */
import { lstat, open, rm } from 'node:fs/promises';
import { renameDurably } from '../../runner/base/replace-file.ts';
import { canRun } from './command.ts';

/** Offsets in the header of a 64-bit file, which all our processors have. */
const header = { bytes: 64, programs: 32, sections: 40, programCount: 56, sectionCount: 60, namesIndex: 62 };
const programHeader = { bytes: 56, offset: 8, size: 32 };
const sectionHeader = { bytes: 64, type: 4, flags: 8, offset: 24, size: 32 };
const magic64LittleEndian = Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1]);
const takesMemory = 2n;
const noBits = 8;
const alignment = 16;
const copyBytes = 2 ** 20;

/**
 * The file may be running. A file of another kind, one without such parts, and one whose copy does not run stay as they are.
 * @param options.proof arguments with which the program ends at once with exit code 0
 * @returns whether it is smaller now
 */
export async function stripSymbols(path: string, { proof }: { proof: string[] }): Promise<boolean> {
  if (!(await lstat(path)).isFile()) return false;
  const scratch = `${path}.stripped`;
  const source = await open(path);
  try {
    const { mode } = await source.stat();
    const plan = await planFor(source);
    if (plan === undefined) return false;
    await rm(scratch, { force: true });
    const target = await open(scratch, 'wx', mode);
    try {
      for (let at = 0; at < plan.keep; ) {
        const { buffer, bytesRead } = await source.read(
          Buffer.alloc(Math.min(copyBytes, plan.keep - at)),
          0,
          null,
          at,
        );
        if (bytesRead === 0) throw new Error(`${path} became shorter`);
        await target.write(buffer, 0, bytesRead, at);
        at += bytesRead;
      }
      await target.write(plan.end, 0, plan.end.length, plan.keep);
      await target.write(plan.header, 0, plan.header.length, 0);
      await target.sync();
    } finally {
      await target.close();
    }
    if (!(await canRun(scratch, proof))) return false;
    await renameDurably(scratch, path);
    return true;
  } finally {
    await source.close();
    await rm(scratch, { force: true });
  }
}

type File = Awaited<ReturnType<typeof open>>;

/** What the smaller file consists of: the first `keep` bytes with another header, and the sections' names and headers. */
async function planFor(file: File): Promise<{ keep: number; header: Buffer; end: Buffer } | undefined> {
  const start = await read(file, 0, header.bytes);
  if (!start.subarray(0, magic64LittleEndian.length).equals(magic64LittleEndian)) return undefined;
  const programs = await table(file, start, header.programs, header.programCount, programHeader.bytes);
  const sections = await table(file, start, header.sections, header.sectionCount, sectionHeader.bytes);
  const names = sections[start.readUInt16LE(header.namesIndex)];
  const isKept = (section: Buffer) => (section.readBigUInt64LE(sectionHeader.flags) & takesMemory) !== 0n;
  // The first one is empty, and stands for "none".
  const dropped = sections.slice(1).findIndex((one) => !isKept(one)) + 1;
  if (names === undefined || dropped === 0 || sections.slice(dropped).some(isKept)) return undefined;
  const kept = sections.slice(0, dropped);
  const ends = [
    ...kept
      .filter((one) => one.readUInt32LE(sectionHeader.type) !== noBits)
      .map((one) => end(one, sectionHeader)),
    ...programs.map((one) => end(one, programHeader)),
  ];
  const keep = Math.max(...ends);
  const next = Math.min(...sections.slice(dropped).map((one) => offset(one, sectionHeader)));
  // Nothing but names of sections follows: there is nothing to remove.
  if (next < keep || dropped === sections.length - 1) return undefined;
  const text = await read(file, offset(names, sectionHeader), size(names, sectionHeader));
  const padding = Buffer.alloc((alignment - ((keep + text.length) % alignment)) % alignment);
  const namesHeader = Buffer.from(names);
  namesHeader.writeBigUInt64LE(BigInt(keep), sectionHeader.offset);
  const changed = Buffer.from(start);
  changed.writeBigUInt64LE(BigInt(keep + text.length + padding.length), header.sections);
  changed.writeUInt16LE(dropped + 1, header.sectionCount);
  changed.writeUInt16LE(dropped, header.namesIndex);
  return { keep, header: changed, end: Buffer.concat([text, padding, ...kept, namesHeader]) };
}

/** The headers of segments or sections. */
async function table(
  file: File,
  start: Buffer,
  at: number,
  countAt: number,
  bytes: number,
): Promise<Buffer[]> {
  const count = start.readUInt16LE(countAt);
  const all = await read(file, Number(start.readBigUInt64LE(at)), count * bytes);
  return Array.from({ length: count }, (_, index) => all.subarray(index * bytes, (index + 1) * bytes));
}

type Place = { offset: number; size: number };
const offset = (one: Buffer, at: Place) => Number(one.readBigUInt64LE(at.offset));
const size = (one: Buffer, at: Place) => Number(one.readBigUInt64LE(at.size));
const end = (one: Buffer, at: Place) => offset(one, at) + size(one, at);

async function read(file: File, at: number, bytes: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, at);
  return buffer.subarray(0, bytesRead);
}
