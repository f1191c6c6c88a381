/** Checks of single fields of the state file. Each throws an Error with the path of the field. */

export function record(value: unknown, path: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw new Error(`${path} must be an object`);
}

export function list<Item>(
  value: unknown,
  path: string,
  item: (value: unknown, path: string) => Item,
): Item[] {
  if (!Array.isArray(value)) throw new Error(`${path} must be a list`);
  return value.map((one, index) => item(one, `${path}[${index}]`));
}

export function matching(value: unknown, pattern: RegExp, path: string): string {
  if (typeof value === 'string' && pattern.test(value)) return value;
  throw new Error(`${path} must match ${pattern.source}`);
}

export function oneOf<const Value>(value: unknown, allowed: readonly Value[], path: string): Value {
  if (allowed.includes(value as Value)) return value as Value;
  throw new Error(`${path} must be one of ${allowed.join(', ')}`);
}

export function integer(value: unknown, path: string, max: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= max) return value;
  throw new Error(`${path} must be an integer from 0 to ${max}`);
}
