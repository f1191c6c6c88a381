/**
 * Validates values from untrusted senders. zod describes every fault: 8 MB of JSON with four million faulty elements took it 25
 * seconds and 5 GB of memory. This module first checks large lists, and describes only the first faulty element.
 */
import { z } from 'zod';

/** With fewer elements, zod needs at most some milliseconds, whatever they are. */
const elementsUnchecked = 10_000;

type Schema = z.core.$ZodType;
type Path = PropertyKey[];
interface Fault {
  path: Path;
  issues: z.core.$ZodIssue[];
}
type Context = z.core.ParseContext<z.core.$ZodIssue>;

/**
 * Like `schema.safeParse`, but with at most one fault for the elements of large lists.
 * @param value from JSON.parse
 * @param context `error` as for `safeParse`
 */
export function safeParseUntrusted<S extends z.ZodType>(
  schema: S,
  value: unknown,
  context?: Context,
): z.ZodSafeParseResult<z.output<S>> {
  const fault = hasMoreThan(elementsUnchecked, value) ? firstFault(schema, value, context) : undefined;
  if (fault === undefined) return schema.safeParse(value, context);
  const issues = fault.issues.map((issue) => ({ ...issue, path: [...fault.path, ...issue.path] }));
  return { success: false, error: new z.ZodError(issues) as z.ZodError<z.output<S>> };
}

/** Whether the lists and objects of a value have more elements and fields in total. Stops counting at the maximum; any depth is allowed. */
function hasMoreThan(max: number, value: unknown): boolean {
  const waiting = [value];
  let left = max;
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    if (typeof one !== 'object' || one === null) continue;
    const inside = Array.isArray(one) ? one : Object.values(one);
    left -= inside.length;
    if (left < 0) return true;
    waiting.push(...inside);
  }
  return false;
}

/** The parts of a schema, as zod documents them for tools that walk schemas: https://zod.dev/packages/core#internals */
const partsOf = (schema: Schema) => (schema as z.core.$ZodTypes)._zod.def;

/** The first faulty element of a list. Everything outside of lists is checked by the schema itself. */
function firstFault(schema: Schema, value: unknown, context?: Context): Fault | undefined {
  const def = partsOf(schema);
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'readonly':
    case 'nonoptional':
      return firstFault(def.innerType, value, context);
    case 'pipe':
      return firstFault(def.in, value, context);
    case 'lazy':
      return undefined; // any JSON
    case 'object':
      return isRecord(value) ? inFields(Object.entries(def.shape), value, context) : undefined;
    case 'record':
      return isRecord(value)
        ? inFields(
            Object.keys(value).map((key) => [key, def.valueType]),
            value,
            context,
          )
        : undefined;
    case 'union':
      return inUnion(def, value, context);
    case 'array':
      return Array.isArray(value) ? inElements(def.element, value, context) : undefined;
    default:
      return undefined;
  }
}

function inFields(
  fields: readonly (readonly [string, Schema])[],
  value: Record<string, unknown>,
  context?: Context,
): Fault | undefined {
  for (const [key, schema] of fields) {
    const fault = Object.hasOwn(value, key) ? firstFault(schema, value[key], context) : undefined;
    if (fault) return { ...fault, path: [key, ...fault.path] };
  }
  return undefined;
}

function inElements(schema: Schema, values: readonly unknown[], context?: Context): Fault | undefined {
  for (const [index, value] of values.entries()) {
    const inside = firstFault(schema, value, context);
    if (inside) return { ...inside, path: [index, ...inside.path] };
    const parsed = z.safeParse(schema, value, context);
    if (!parsed.success) return { path: [index], issues: parsed.error.issues };
  }
  return undefined;
}

/** Checks the options with this discriminator; without a discriminator, all options. A value that fits one option has no fault. */
function inUnion(
  def: z.core.$ZodUnionDef & { discriminator?: string },
  value: unknown,
  context?: Context,
): Fault | undefined {
  const { discriminator } = def;
  const named = (option: Schema) =>
    discriminator === undefined || (isRecord(value) && isNamed(option, discriminator, value[discriminator]));
  let first: Fault | undefined;
  for (const option of def.options.filter(named)) {
    const fault = firstFault(option, value, context);
    if (!fault) return undefined;
    first ??= fault;
  }
  return first;
}

/** Whether an option accepts this value of its discriminator. */
function isNamed(option: Schema, discriminator: string, value: unknown): boolean {
  const def = partsOf(option);
  if (def.type === 'pipe') return isNamed(def.in, discriminator, value);
  if (def.type === 'union') return def.options.some((one) => isNamed(one, discriminator, value));
  const field = def.type === 'object' ? def.shape[discriminator] : undefined;
  if (!field) return false;
  const names = partsOf(field);
  // Compare without zod, which would create an error for each other option.
  return names.type === 'literal' ? names.values.includes(value as never) : z.safeParse(field, value).success;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
