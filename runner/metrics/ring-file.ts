/**
 * A file of fixed size with a place for each step of time: the newest step overwrites the oldest. A place holds the values of all columns,
 * so that a step costs one small write, and a checksum: a write that a crash interrupted is a gap of one step.
 *
 *   header: magic, layout version, places, columns, values of a column
 *   place n (for each step with `step % places == n`): step number, checksum, values
 */
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { crc32 } from 'node:zlib';
import { layoutVersion } from './fields.ts';

const magic = 0x4c53_4d52;
const headerBytes = 32;
const placeHeaderBytes = 8;
/** The size of one read. */
const blockBytes = 256 * 1024;

export interface RingShape {
  /** The number of steps that are kept. */
  places: number;
  columns: number;
  /** Values of each column. */
  fields: number;
}

/** A layout that is copied when a file of it is opened. */
export interface OlderLayout {
  version: number;
  places: number;
  fields: number;
  /** For each value of a column now: its place in a column of the older file; -1: it had none. */
  from: readonly number[];
}

export class RingFile {
  readonly #file: number;
  readonly #shape: RingShape;
  readonly #placeBytes: number;

  private constructor(file: number, shape: RingShape) {
    this.#file = file;
    this.#shape = shape;
    this.#placeBytes = placeBytesOf(shape);
  }

  /**
   * Opens the file. A file with another number of columns, or of the older layout, is copied; a truncated file, one of another layout, and
   * one that is not a ring are recreated.
   * @throws Error of the file system
   */
  static open(path: string, shape: RingShape, older?: OlderLayout): RingFile {
    const ring = new RingFile(openSync(path, openFlags, 0o600), shape);
    try {
      const columns = ring.#columnsFound(shape, layoutVersion);
      if (columns === shape.columns) return ring;
      if (columns !== undefined) return ring.#copied(path, { ...shape, columns });
      const { version, places, fields, from } = older ?? {};
      if (places !== undefined && fields !== undefined) {
        const columnsThen = ring.#columnsFound({ ...shape, places, fields }, version ?? 0);
        if (columnsThen !== undefined)
          return ring.#copied(path, { places, fields, columns: columnsThen }, from);
      }
      ring.#startAnew();
      return ring;
    } catch (error) {
      ring.close();
      throw error;
    }
  }

  /** @param values of all columns, one after the other */
  write(step: number, values: Uint16Array): void {
    const place = Buffer.alloc(this.#placeBytes);
    Buffer.from(values.buffer, values.byteOffset, values.byteLength).copy(place, placeHeaderBytes);
    place.writeUInt32LE(step, 0);
    place.writeUInt32LE(checksum(place), 4);
    writeSync(this.#file, place, 0, place.length, this.#offset(step));
  }

  /**
   * Calls `take` for each step of the range that is stored, in order.
   * @param values is reused for the next step
   */
  read(from: number, to: number, take: (step: number, values: Uint16Array) => void): void {
    const { places } = this.#shape;
    const placesAtOnce = Math.max(1, Math.floor(blockBytes / this.#placeBytes));
    const block = Buffer.alloc(placesAtOnce * this.#placeBytes);
    const values = new Uint16Array((this.#placeBytes - placeHeaderBytes) / 2);
    const bytes = Buffer.from(values.buffer);
    for (let step = Math.max(from, to - places); step < to; ) {
      const count = Math.min(placesAtOnce, to - step, places - (step % places));
      const length = readSync(this.#file, block, 0, count * this.#placeBytes, this.#offset(step));
      for (let at = 0; at + this.#placeBytes <= length; at += this.#placeBytes, step++) {
        const place = block.subarray(at, at + this.#placeBytes);
        if (place.readUInt32LE(0) !== step || place.readUInt32LE(4) !== checksum(place)) continue;
        place.copy(bytes, 0, placeHeaderBytes);
        take(step, values);
      }
      if (length < count * this.#placeBytes) return; // the file was truncated
    }
  }

  close(): void {
    closeSync(this.#file);
  }

  /** @returns the number of columns of the file; `undefined` if it is not a ring of these places and fields */
  #columnsFound(shape: RingShape, version: number): number | undefined {
    const header = Buffer.alloc(headerBytes);
    if (readSync(this.#file, header, 0, headerBytes, 0) < headerBytes) return undefined;
    const found = { ...shape, columns: header.readUInt32LE(columnsAt) };
    const isOurs = header.equals(headerOf(found, version)) && fstatSync(this.#file).size === bytesOf(found);
    return isOurs ? found.columns : undefined;
  }

  #startAnew(): void {
    ftruncateSync(this.#file, 0);
    // Blocks on the disk are only allocated when they are written.
    ftruncateSync(this.#file, bytesOf(this.#shape));
    writeSync(this.#file, headerOf(this.#shape, layoutVersion), 0, headerBytes, 0);
  }

  /**
   * Replaces the file with one of this shape, and closes this one. Steps are copied from the oldest on, as far as there are places for them.
   * @param from as of `OlderLayout`; absent: the values of a column stay as they are
   */
  #copied(path: string, was: RingShape, from?: readonly number[]): RingFile {
    const old = new RingFile(this.#file, was);
    const temporary = `${path}.new`;
    rmSync(temporary, { force: true });
    const next = new RingFile(openSync(temporary, openFlags, 0o600), this.#shape);
    next.#startAnew();
    const { columns, fields } = this.#shape;
    const values = new Uint16Array(columns * fields);
    old.#eachPlace((step, kept) => {
      if (from) {
        for (let column = 0; column < Math.min(columns, was.columns); column++)
          from.forEach((place, at) => {
            values[column * fields + at] = place < 0 ? 0 : (kept[column * was.fields + place] ?? 0);
          });
      } else values.set(kept.subarray(0, values.length));
      next.write(step, values);
    });
    renameSync(temporary, path);
    old.close();
    return next;
  }

  #eachPlace(take: (step: number, values: Uint16Array) => void): void {
    const place = Buffer.alloc(this.#placeBytes);
    for (let at = 0; at < this.#shape.places; at++) {
      if (readSync(this.#file, place, 0, place.length, this.#offset(at)) < place.length) return;
      const step = place.readUInt32LE(0);
      if (step !== 0 && place.readUInt32LE(4) === checksum(place)) take(step, valuesOf(place));
    }
  }

  #offset(step: number): number {
    return headerBytes + (step % this.#shape.places) * this.#placeBytes;
  }
}

/** Read and write, created if absent. */
const openFlags = constants.O_RDWR | constants.O_CREAT;
/** Bytes of the header before the number of columns. */
const columnsAt = 12;

const placeBytesOf = ({ columns, fields }: RingShape) => placeHeaderBytes + columns * fields * 2;
const bytesOf = (shape: RingShape) => headerBytes + shape.places * placeBytesOf(shape);

function headerOf({ places, columns, fields }: RingShape, version: number): Buffer {
  const header = Buffer.alloc(headerBytes);
  [magic, version, places, columns, fields].forEach((value, at) => {
    header.writeUInt32LE(value, at * 4);
  });
  return header;
}

function valuesOf(place: Buffer): Uint16Array {
  const values = new Uint16Array((place.length - placeHeaderBytes) / 2);
  place.copy(Buffer.from(values.buffer), 0, placeHeaderBytes);
  return values;
}

/** The checksum of the step's number and its values: a place with another step's number is empty. */
const checksum = (place: Buffer) => crc32(place.subarray(placeHeaderBytes), crc32(place.subarray(0, 4)));
