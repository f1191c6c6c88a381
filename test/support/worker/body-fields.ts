/** The fields of a route's body, from its schema. */
import { z } from 'zod';
import type { Json } from './api.ts';

export type Path = (string | number)[];

export interface Field {
  path: Path;
  /** Types in JSON Schema, for all forms of the field. */
  types: Set<string>;
  /** It accepts arbitrary texts, not only listed ones. */
  isFreeText: boolean;
}

type Schema = z.core.JSONSchema.JSONSchema;

/** Each field once, including nested ones; for a list its first element, for a record one entry. */
export function fieldsOf(body: z.ZodType | undefined): Field[] {
  if (!body) return [];
  const found = new Map<string, Field>();
  walk(z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' }), [], found);
  found.delete('');
  return [...found.values()];
}

function walk(schema: Schema, path: Path, found: Map<string, Field>): void {
  for (const form of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) walk(form as Schema, path, found);
  const types = schema.type === undefined ? [] : [schema.type].flat();
  const field = found.get(path.join('.')) ?? { path, types: new Set(), isFreeText: false };
  for (const type of types) field.types.add(type);
  const isListed = schema.const !== undefined || schema.enum !== undefined;
  field.isFreeText ||= types.includes('string') && !isListed;
  found.set(path.join('.'), field);
  for (const [name, member] of Object.entries(schema.properties ?? {}))
    walk(member as Schema, [...path, name], found);
  if (typeof schema.additionalProperties === 'object') {
    walk(schema.additionalProperties as Schema, [...path, 'member'], found);
  }
  if (schema.items && !Array.isArray(schema.items)) walk(schema.items as Schema, [...path, 0], found);
}

export const valueAt = (value: Json, path: Path): Json =>
  path.reduce<Json>((inner, step) => (typeof inner === 'object' ? inner?.[step] : undefined), value);

/** Shortens a value for messages: the vitest pool crashes at half of a surrogate pair. */
export const brief = (value: unknown) => (JSON.stringify(value) ?? '').slice(0, 300).toWellFormed();

/** A copy with another value at the path. */
export function withValue(value: Json, [step, ...rest]: Path, changed: unknown): Json {
  if (step === undefined) return changed;
  const copy = Array.isArray(value) ? [...value] : { ...value };
  copy[step] = withValue(copy[step], rest, changed);
  return copy;
}
