/**
 * Validates values from a sender that is not trusted. zod describes every fault: 8 MB of JSON with four million faulty elements took it 25
 * seconds and 5 GB of memory. Here large lists are looked through first, and the first faulty element is the only one described.
 */
import { z } from 'zod';

/** Fewer elements cost zod some milliseconds, whatever they are. */
const elementsUnchecked = 10_000;

type Schema = z.core.$ZodType;
type Path = PropertyKey[];
interface Fault {
  path: Path;
  issues: z.core.$ZodIssue[];
}
type Context = z.core.ParseContext<z.core.$ZodIssue>;

/**
 * As `schema.safeParse`, but with one fault at most for the elements of large lists.
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

/** Whether the lists and objects of a value have more elements and fields together. Stops counting there, and takes any depth. */
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

/** The first faulty element of a list. What is not in a list is left to the schema itself. */
function firstFault(schema: Schema, value: unknown, context?: Context): Fault | undefined {
  const { def } = (schema as z.core.$ZodTypes)._zod;
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

/** The options that the discriminator names; all of them without one. A value that fits one option has no fault. */
function inUnion(
  def: z.core.$ZodUnionDef & { discriminator?: string },
  value: unknown,
  context?: Context,
): Fault | undefined {
  const { discriminator } = def;
  const named = (option: Schema) =>
    discriminator === undefined ||
    (isRecord(value) &&
      option._zod.propValues?.[discriminator]?.has(value[discriminator] as z.core.util.Primitive));
  let first: Fault | undefined;
  for (const option of def.options.filter(named)) {
    const fault = firstFault(option, value, context);
    if (!fault) return undefined;
    first ??= fault;
  }
  return first;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
