/**
 * Values in two bytes each, so that weeks of them stay small: the logarithm in steps of 0.05 %. An answer needs no more digits, and zero
 * and small whole numbers are exact. 0 stands for an unknown value; a new file is full of zeros.
 */

/** Steps per factor of e: from 1 to 10^13 with 16 bits. */
const steps = 2_000;
const unknown = 0;
const first = 1;
const last = 0xffff;

/** @param scale multiplies the value first: its inverse is the smallest amount that differs from zero */
export function packNumber(value: number | null | undefined, scale: number): number {
  if (value === null || value === undefined || Number.isNaN(value)) return unknown;
  return Math.min(last, first + Math.round(Math.log1p(Math.max(0, value) * scale) * steps));
}

/** @returns `null` for an unknown value */
export function unpackNumber(packed: number, scale: number): number | null {
  return packed === unknown ? null : Math.expm1((packed - first) / steps) / scale;
}
