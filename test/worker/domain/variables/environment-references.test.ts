// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of variables are written like that
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { databaseEngines, engineNames } from '../../../../worker/domain/databases/database-engines.ts';
import { derivedVariables } from '../../../../worker/domain/databases/database-variables.ts';
import { parseValue } from '../../../../worker/domain/values/value-parts.ts';
import {
  type NamedService,
  resolvedCharsMax,
  resolvedTotalCharsMax,
  resolveReferences,
  warningsMax,
} from '../../../../worker/domain/variables/environment-references.ts';

const web: NamedService = { id: 'svc_web', slug: 'web', name: 'Web' };
const db: NamedService = { id: 'svc_db', slug: 'main-db', name: 'Main v1.2' };

/** Resolves `own` in the service `web`, with `peer` in the service `main-db`. */
function resolve(own: Record<string, string>, peer: Record<string, string> = {}) {
  const known = new Map([
    [web.id, new Map(Object.entries(own))],
    [db.id, new Map(Object.entries(peer))],
  ]);
  const { values, warnings } = resolveReferences(web.id, [web, db], known, new Map());
  return { values: Object.fromEntries(values), warnings };
}

test('a reference is matched on the slug, then on the name, dots in it included', () => {
  expect(resolve({ A: '${main-db.X}', B: '${Main v1.2.X}' }, { X: '1' }).values).toEqual({
    A: '1',
    B: '1',
  });
});

test('a reference without a service is the own one, seen from the service that holds it', () => {
  expect(resolve({ X: 'mine', A: '${X} ${main-db.Y}' }, { X: 'theirs', Y: '${X}' }).values.A).toBe(
    'mine theirs',
  );
});

test('a reference may lead back to the first service, as long as it is another variable', () => {
  expect(resolve({ A: '${main-db.B}', C: 'end' }, { B: '<${web.C}>' }).values.A).toBe('<end>');
});

test('a reference to nothing stays as written and warns with the reason', () => {
  const { values, warnings } = resolve({ A: '${nobody.X}-${main-db.X}-${X}' });
  expect(values.A).toBe('${nobody.X}-${main-db.X}-${X}');
  expect(warnings).toEqual([
    'A: ${nobody.X} stays as written, because the project has no service "nobody".',
    'A: ${main-db.X} stays as written, because the service "main-db" has no variable X.',
    'A: ${X} stays as written, because the service "web" has no variable X.',
  ]);
});

test('the warning about a URL that a database does not have names the one that it has', () => {
  const cache = { ...db, database: {}, derived: new Map([['REDIS_URL', []]]) };
  const known = new Map([[web.id, new Map([['A', '${main-db.DATABASE_URL}${main-db.PORT}']])]]);
  expect(resolveReferences(web.id, [web, cache], known, new Map()).warnings).toEqual([
    'A: ${main-db.DATABASE_URL} stays as written, because the service "main-db" has no variable DATABASE_URL (its URL is REDIS_URL).',
    'A: ${main-db.PORT} stays as written, because the service "main-db" has no variable PORT.',
  ]);
});

test('a reference on a cycle stays as written on every step of it, also seen from outside', () => {
  const { values, warnings } = resolve({ A: '1${B}', B: '2${main-db.C}', D: '4${A}' }, { C: '3${web.A}' });
  expect(values).toEqual({ A: '1${B}', B: '2${main-db.C}', D: '41${B}' });
  expect(warnings).toHaveLength(3);
});

test('a reference is not created by the value of another one', () => {
  expect(resolve({ A: '$${B}', B: 'no', C: '${A}' }).values).toMatchObject({ A: '${B}', C: '${B}' });
});

test.each(['$', '${', '${}', '${lower}', '${a.lower}', '${A', '$A', '${A:-x}', '$${', '{A}', '${ A }'])(
  'text without the form of a reference stays text: %s',
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

test('a chain of any length is resolved', { tags: 'slow' }, () => {
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

test('resolving without a cycle equals inserting values one after the other', () => {
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

test('no set of references makes more text than the bounds, or takes long', () => {
  const names = ['A', 'B', 'C', 'D', 'E'];
  const dense = fc
    .array(
      fc.oneof(
        key.map((name) => `\${${name}}`),
        key.map((name) => `\${main-db.${name}}`),
        fc.string({ maxLength: 9 }),
      ),
      {
        minLength: 50,
        maxLength: 400,
      },
    )
    .map((parts) => parts.join(''));
  const all = fc.record(Object.fromEntries(names.map((name) => [name, dense])));
  fc.assert(
    fc.property(all, all, (own, peer) => {
      const { values, warnings } = resolve(own, peer);
      const lengths = Object.values(values).map(({ length }) => length);
      const written = Object.values(own).reduce((sum, { length }) => sum + length, 0);
      expect(Math.max(...lengths)).toBeLessThanOrEqual(resolvedCharsMax);
      expect(lengths.reduce((sum, length) => sum + length, 0)).toBeLessThanOrEqual(
        resolvedTotalCharsMax + written,
      );
      expect(warnings.length).toBeLessThanOrEqual(warningsMax + 1);
    }),
    { numRuns: 50 },
  );
});

test('any text survives behind escapes: `$${` stands for `${`', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('$', '{', '}', 'A', '.', 'x') }), (text) => {
      const escaped = text.replaceAll('${', () => '$${');
      expect(resolve({ X: escaped, A: 'no' })).toEqual({ values: { X: text, A: 'no' }, warnings: [] });
    }),
  );
});

test('a thousand references to a value that is as large as can be are read once, not a thousand times', () => {
  const startedAt = performance.now();
  const own: Record<string, string> = { BIG: `${'$'.repeat(60_000)}`, X: '${BIG}'.repeat(10_000) };
  expect(resolve(own).values.X).toBe(own.X);
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});

const anyText = fc.string({ unit: 'grapheme', maxLength: 30 }).filter((text) => !text.includes('${'));

test.each(engineNames)(
  'the URL of %s holds user, password and database exactly, whatever they are',
  (engine) => {
    const { variables: needed, urlKeys } = databaseEngines[engine];
    const facts = { engine, slug: 'main-db', internalPort: 1234, hostPort: 4321, isPublic: true };
    const list = derivedVariables({ ...facts, publicHostname: 'db.example.com', publicIp: '192.0.2.1' });
    expect(list.map((one) => one.key)).toEqual([...urlKeys, ...urlKeys.map((name) => `${name}_PUBLIC`)]);
    const derived = new Map(list.map((one) => [one.key, one.parts]));
    fc.assert(
      fc.property(anyText, anyText, anyText, (user, password, database) => {
        const given: Record<string, string> = Object.fromEntries(
          needed.map(({ key: name }) => [
            name,
            /PASSWORD/.test(name) ? password : /USER/.test(name) ? user : database,
          ]),
        );
        const known = new Map([
          [
            web.id,
            new Map(
              urlKeys.flatMap(
                (name) =>
                  [
                    [name, `\${main-db.${name}}`],
                    [`P_${name}`, `\${main-db.${name}_PUBLIC}`],
                  ] as const,
              ),
            ),
          ],
          [db.id, new Map(Object.entries(given))],
        ]);
        const { values, warnings } = resolveReferences(web.id, [web, { ...db, derived }], known, new Map());
        expect(warnings).toEqual([]);
        for (const [name, url] of values) {
          const {
            host,
            username,
            password: inUrl,
            pathname,
            searchParams,
          } = new URL(url.replace(/^\w+/, 'http'));
          if (engine === 'mongodb') expect(searchParams.get('directConnection')).toBe('true');
          expect(host).toBe(name.startsWith('P_') ? 'db.example.com:4321' : 'main-db:1234');
          expect(decodeURIComponent(inUrl)).toBe(password);
          if (engine !== 'redis') expect(decodeURIComponent(username)).toBe(user);
          const hasPath = engine !== 'redis' && engine !== 'mongodb' && database !== '.' && database !== '..';
          if (hasPath) expect(decodeURIComponent(pathname.slice(1))).toBe(database);
        }
      }),
      { numRuns: 100 },
    );
  },
);

test('a derived variable on a cycle stays as written, and for one whose parts are missing the warning names them', () => {
  const list = derivedVariables({
    engine: 'redis',
    slug: 'main-db',
    internalPort: 6379,
    hostPort: 1,
    isPublic: false,
    publicHostname: null,
    publicIp: '127.0.0.1',
  });
  const service = { ...db, derived: new Map(list.map((one) => [one.key, one.parts])) };
  const ask = (peer: Record<string, string>) =>
    resolveReferences(
      web.id,
      [web, service],
      new Map([
        [web.id, new Map([['A', '<${main-db.REDIS_URL}>']])],
        [db.id, new Map(Object.entries(peer))],
      ]),
      new Map(),
    );
  const cycle = ask({ REDIS_PASSWORD: '${REDIS_URL}' });
  expect(cycle.values.get('A')).toBe('<redis://default:${REDIS_PASSWORD}@main-db:6379>');
  expect(cycle.warnings).toHaveLength(2);
  expect(ask({}).warnings).toEqual([
    'main-db.REDIS_URL: ${REDIS_PASSWORD} stays as written, because the service "main-db" has no variable REDIS_PASSWORD.',
  ]);
});

const list = derivedVariables({
  engine: 'postgres',
  slug: 'main-db',
  internalPort: 5432,
  hostPort: 1,
  isPublic: false,
  publicHostname: null,
  publicIp: '127.0.0.1',
});
const peers = [web, { ...db, derived: new Map(list.map((one) => [one.key, one.parts])) }];
const database = { POSTGRES_USER: 'app', POSTGRES_DB: 'app', POSTGRES_PASSWORD: 'pw' };

function secretKeys(own: Record<string, string>, choices: Record<string, boolean> = {}) {
  const known = new Map([
    [web.id, new Map(Object.entries(own))],
    [db.id, new Map(Object.entries({ ...database, NAME: 'x' }))],
  ]);
  const chosen = new Map([[web.id, new Map(Object.entries(choices))]]);
  return [...resolveReferences(web.id, peers, known, chosen).secretKeys].sort();
}

test('a plain variable is secret once it refers to a secret one, through any depth', () => {
  expect(
    secretKeys({
      A: '${B}',
      B: '<${main-db.DATABASE_URL}>',
      C: '${main-db.POSTGRES_USER}',
      D: '${main-db.NAME}',
    }),
  ).toEqual(['A', 'B']);
});

test('a choice holds for the own text, and never uncovers a secret of another variable', () => {
  expect(secretKeys({ API_KEY: 'x' }, { API_KEY: false })).toEqual([]);
  expect(secretKeys({ GREETING: 'x', A: '${GREETING}' }, { GREETING: true })).toEqual(['A', 'GREETING']);
  expect(secretKeys({ A: '${main-db.POSTGRES_PASSWORD}' }, { A: false })).toEqual(['A']);
});

test('a password that only the resolved value shows makes it secret', () => {
  expect(secretKeys({ SIGN: 'hunter22', A: 'https://me:${SIGN}@example.com' })).toEqual(['A']);
});

test('literal and broken references uncover and hide nothing', () => {
  expect(secretKeys({ A: '$${main-db.DATABASE_URL}', B: '${main-db.NOPE}', C: '${C}' })).toEqual([]);
});
