// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of variables are written like that
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type NamedService,
  parseValue,
  resolvedCharsMax,
  resolveReferences,
} from '../../../worker/domain/environment-references.ts';

const web: NamedService = { id: 'svc_web', slug: 'web', name: 'Web' };
const db: NamedService = { id: 'svc_db', slug: 'main-db', name: 'Main v1.2' };

/** Resolves `own` in the service `web`, with `peer` in the service `main-db`. */
function resolve(own: Record<string, string>, peer: Record<string, string> = {}) {
  const known = new Map([
    [web.id, new Map(Object.entries(own))],
    [db.id, new Map(Object.entries(peer))],
  ]);
  const { values, warnings } = resolveReferences(web.id, [web, db], known);
  return { values: Object.fromEntries(values), warnings };
}

describe('a reference', () => {
  test('is matched on the slug, then on the name, dots in it included', () => {
    expect(resolve({ A: '${main-db.X}', B: '${Main v1.2.X}' }, { X: '1' }).values).toEqual({
      A: '1',
      B: '1',
    });
  });

  test('without a service is the own one, seen from the service that holds it', () => {
    expect(resolve({ X: 'mine', A: '${X} ${main-db.Y}' }, { X: 'theirs', Y: '${X}' }).values.A).toBe(
      'mine theirs',
    );
  });

  test('may lead back to the service that began, as long as it is another variable', () => {
    expect(resolve({ A: '${main-db.B}', C: 'end' }, { B: '<${web.C}>' }).values.A).toBe('<end>');
  });

  test('to nothing stays as written and warns with the reason', () => {
    const { values, warnings } = resolve({ A: '${nobody.X}-${main-db.X}-${X}' });
    expect(values.A).toBe('${nobody.X}-${main-db.X}-${X}');
    expect(warnings).toEqual([
      'A: ${nobody.X} stays as written, the project has no service "nobody".',
      'A: ${main-db.X} stays as written, the service "main-db" has no variable X.',
      'A: ${X} stays as written, the service "web" has no variable X.',
    ]);
  });

  test('on a cycle stays as written on every step of it, also seen from outside', () => {
    const { values, warnings } = resolve({ A: '1${B}', B: '2${main-db.C}', D: '4${A}' }, { C: '3${web.A}' });
    expect(values).toEqual({ A: '1${B}', B: '2${main-db.C}', D: '41${B}' });
    expect(warnings).toHaveLength(3);
  });

  test('is not made by what another one brings', () => {
    expect(resolve({ A: '$${B}', B: 'no', C: '${A}' }).values).toMatchObject({ A: '${B}', C: '${B}' });
  });
});

test.each(['$', '${', '${}', '${lower}', '${a.lower}', '${A', '$A', '${A:-x}', '$${', '{A}', '${ A }'])(
  'what has not the form of a reference is text: %s',
  (text) => {
    const { values, warnings } = resolve({ X: text });
    expect(values.X).toBe(text === '$${' ? '${' : text);
    expect(warnings).toEqual([]);
  },
);

test('a value that its references make too long stays as written', () => {
  const own: Record<string, string> = { V0: 'x'.repeat(1024) };
  for (let n = 1; n <= 40; n++) own[`V${n}`] = `\${V${n - 1}}\${V${n - 1}}`;
  const { values, warnings } = resolve(own);
  for (const value of Object.values(values)) expect(value.length).toBeLessThanOrEqual(resolvedCharsMax);
  expect(warnings.length).toBeGreaterThan(0);
});

test('a chain of any length is resolved', () => {
  const length = 20_000;
  const own: Record<string, string> = { V0: 'end' };
  for (let n = 1; n < length; n++) own[`V${n}`] = `\${V${n - 1}}`;
  expect(resolve(own).values[`V${length - 1}`]).toBe('end');
});

const key = fc.constantFrom('A', 'B', 'C', 'D', 'E');
const value = fc
  .array(
    fc.oneof(
      key.map((name) => `\${${name}}`),
      key.map((name) => `\${main-db.${name}}`),
      fc.constantFrom('$', '{', '}', '$${', '.', 'x', '${'),
    ),
    { maxLength: 5 },
  )
  .map((parts) => parts.join(''));
const variables = fc.dictionary(key, value);

test('the order of variables changes nothing, whatever refers to whatever', () => {
  fc.assert(
    fc.property(variables, variables, (own, peer) => {
      const turned = Object.fromEntries(Object.entries(own).reverse());
      const [one, other] = [resolve(own, peer), resolve(turned, peer)];
      expect(other.values).toEqual(one.values);
      expect([...other.warnings].sort()).toEqual([...one.warnings].sort());
    }),
  );
});

test('without a cycle the result is that of putting values in one after the other', () => {
  fc.assert(
    fc.property(fc.array(value, { maxLength: 6 }), (list) => {
      // Each variable refers to earlier ones only.
      const names = list.map((_, index) => `V${index}`);
      const own: Record<string, string> = {};
      const expected: Record<string, string> = {};
      for (const [index, text] of list.entries()) {
        const written = text.replace(/\$\{(?:main-db\.)?([A-E])\}/g, () =>
          index === 0 ? 'root' : `\${V${(index * 7) % index}}`,
        );
        own[`V${index}`] = written;
        expected[`V${index}`] = parseValue(written)
          .map((part) => (part.type === 'text' ? part.text : (expected[part.key] ?? part.text)))
          .join('');
      }
      const { values } = resolve(own);
      for (const name of names) expect(values[name]).toBe(expected[name]);
    }),
  );
});
