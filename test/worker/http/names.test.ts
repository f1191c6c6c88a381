/** Names of everything: found in the schemas of all routes, so that a new one is checked by itself. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { routes } from '../../../worker/routes.ts';
import type { Json } from '../../support/worker/api.ts';

const withName = routes.filter(({ body }) => {
  if (!body) return false;
  const schema: Json = z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' });
  const all: Json[] = [schema, ...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  return all.some(({ properties = {} }) => 'name' in properties);
});
const controls = [
  '\u061c',
  '\u200e',
  '\u200f',
  '\u202a',
  '\u202b',
  '\u202c',
  '\u202d',
  '\u202e',
  '\u2066',
  '\u2067',
  '\u2068',
  '\u2069',
];

describe.each(withName.map((route) => [`${route.method} ${route.path}`, route] as const))(
  '%s',
  (_, { body }) => {
    test('takes no name with characters that change the direction of text, or are shown as nothing', () => {
      for (const control of controls) {
        const { error } = (body as z.ZodType).safeParse({ name: `abc${control}gnp.exe` });
        const words = JSON.stringify(
          error?.issues.filter((issue) => JSON.stringify(issue).includes('"name"')) ?? [],
        );
        expect([control, words]).toEqual([control, expect.stringContaining('name')]);
      }
      expect(withName.length).toBeGreaterThan(15);
    });
  },
);
