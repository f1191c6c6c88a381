/**
 * The part of its matrix that a test tries. With `npm test`: a fixed part that contains each row and each kind of value once. With
 * `npm run test:all` (`TEST_LEVEL=all`): three times as much, or the whole. With `npm run test:everything`: the whole. Each commit tries the same
 * part.
 */
export const levels = ['test', 'all', 'everything'] as const;
export type Level = (typeof levels)[number];

/** The level of this run. */
export const level = levels.find((one) => one === process.env.TEST_LEVEL) ?? 'test';
export const everything = level === 'everything';

/** @returns the value of this run's level */
export function byLevel<Value>(values: Record<Level, Value>): Value {
  return values[level];
}

/** Number of rounds of repeated races. */
export const races = byLevel({ test: 50, all: 250, everything: 1_000 });

/**
 * Every n-th of the values with `npm test`, three times as many with `npm run test:all`, all of them with `npm run test:everything`.
 * @param shares the number of parts into which the values are divided
 * @param place shifts the choice, so that tests that share a list try different parts of it
 */
export function fixedPart<Value>(values: readonly Value[], shares: number, place = 0): Value[] {
  return everyNth(values, byLevel({ test: shares, all: Math.ceil(shares / 3), everything: 1 }), place);
}

/** Every n-th of the values. @param place as in `fixedPart` */
export function everyNth<Value>(values: readonly Value[], shares: number, place = 0): Value[] {
  return values.filter((_, index) => (index + place) % shares === 0);
}
