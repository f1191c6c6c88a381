/** Adds descriptions and examples to the fields of generated schemas. */
import { fieldNotes } from './field-notes.ts';
import { placeNotes } from './place-notes.ts';

type Node = Record<string, unknown>;

/** Ids by resource, because the field has one name in all. */
const idExamples: Readonly<Record<string, unknown>> = {
  Project: 'prj_8d2k5f7h1j4l6q9w',
  Variable: 'env_2w4e6r8t0y1u3i5o',
  Domain: 'dom_9o8i7u6y5t4r3e2w',
  Deployment: 'dep_5t8r2y6u1i4o7p9a',
  LogEntry: 42,
};

/**
 * Describes every field that has a note, in nested schemas too. What the schema itself says stays. An example is only added where the
 * schema allows it, because some names have different types in different places.
 */
export function describeFields(schemas: Readonly<Record<string, Node>>): Record<string, Node> {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, described(schema, name) as Node]),
  );
}

/** @param place the field that contains this one, or the resource */
function described(node: unknown, resource: string, place = resource): unknown {
  if (Array.isArray(node)) return node.map((one) => described(one, resource, place));
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => {
      if (key !== 'properties') return [key, described(value, resource, place)];
      const fields = Object.entries(value as Record<string, Node>);
      return [
        key,
        Object.fromEntries(fields.map(([name, field]) => [name, fieldOf(name, field, { resource, place })])),
      ];
    }),
  );
}

function fieldOf(
  name: string,
  field: Node,
  { resource, place }: Record<'resource' | 'place', string>,
): unknown {
  const inner = described(field, resource, name) as Node;
  const note = placeNotes[`${place}.${name}`];
  if (note !== undefined) return { ...inner, description: inner.description ?? note };
  const [description, usual] = fieldNotes[name] ?? [];
  if (description === undefined) return inner;
  const named = name === 'id' && resource in idExamples ? idExamples[resource] : usual;
  const example = Array.isArray(inner.enum) && !fits(inner, named) ? inner.enum[0] : named;
  // Some names of lists are numbers elsewhere: `services` of a quota.
  const isCount = usual === undefined && isNumber(inner);
  const count = place === 'quotas' ? 'At most so many; null: no limit.' : 'How many.';
  return {
    ...inner,
    description: inner.description ?? (isCount ? count : description),
    ...(inner.examples === undefined && fits(inner, example) ? { examples: [example] } : {}),
  };
}

const isNumber = ({ type, anyOf = [] }: Node): boolean =>
  [type].flat().some((one) => one === 'integer' || one === 'number') || (anyOf as Node[]).some(isNumber);

/** Whether a schema of plain values allows this one. Those that have more rules get no example. */
function fits(schema: Node, value: unknown): boolean {
  if (value === undefined || schema.$ref !== undefined) return false;
  const choices = (schema.anyOf ?? schema.oneOf) as Node[] | undefined;
  if (choices) return choices.some((choice) => fits(choice, value));
  if (schema.const !== undefined) return schema.const === value;
  if (Array.isArray(schema.enum)) return schema.enum.includes(value);
  const types = [schema.type].flat();
  if (value === null) return types.includes('null');
  if (Array.isArray(value)) return types.includes('array') && hasPlainItems(schema, value);
  if (typeof value === 'number') return types.includes('number') || types.includes('integer');
  if (typeof value === 'object') return types.includes('object') && hasMembers(schema, value);
  if (typeof value !== 'string') return types.includes(typeof value);
  const pattern = typeof schema.pattern === 'string' ? new RegExp(schema.pattern) : /^/;
  return types.includes('string') && pattern.test(value);
}

const hasMembers = ({ properties }: Node, value: object) =>
  properties === undefined ||
  Object.entries(value).every(([name, one]) => fits((properties as Record<string, Node>)[name] ?? {}, one));

const hasPlainItems = ({ items }: Node, list: unknown[]) =>
  list.every((one) => fits((items ?? {}) as Node, one));
