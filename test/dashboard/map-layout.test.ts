/** The drawing of a project, and the completion of references. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of variables are written like that
import { expect, test } from 'vitest';
import { box, layoutOf } from '../../dashboard/pages/project/map/map-layout.ts';
import { completeReference } from '../../dashboard/pages/service/variables/complete-reference.ts';

const ids = ['web', 'worker', 'db', 'cache'];
const edges = [
  { from: 'web', to: 'worker' },
  { from: 'web', to: 'db' },
  { from: 'worker', to: 'db' },
  { from: 'worker', to: 'cache' },
];

test('who refers is drawn before what is referred to, and no box covers another, wide and on a phone', () => {
  for (const width of [1200, 390, 120]) {
    const { places, paths, width: drawn, height } = layoutOf(ids, edges, width);
    const at = (id: string) => places.find((place) => place.id === id) ?? { x: Number.NaN, y: Number.NaN };
    const along = width > 640 ? 'x' : 'y';
    for (const { from, to } of edges) expect(at(from)[along]).toBeLessThan(at(to)[along]);
    const overlaps = places.flatMap((one) =>
      places.filter(
        (other) =>
          one.id < other.id &&
          Math.abs(one.x - other.x) < box.width &&
          Math.abs(one.y - other.y) < box.height,
      ),
    );
    expect(overlaps).toEqual([]);
    expect(paths).toHaveLength(edges.length);
    expect(Math.max(...places.map(({ x }) => x)) + box.width).toBeLessThanOrEqual(drawn);
    expect(Math.max(...places.map(({ y }) => y)) + box.height).toBeLessThanOrEqual(height);
    if (width > box.width) expect(drawn).toBeLessThanOrEqual(width);
  }
});

test('services that refer to each other in a circle are all drawn', () => {
  const circle = [
    { from: 'a', to: 'b' },
    { from: 'b', to: 'a' },
  ];
  const { places, paths } = layoutOf(['a', 'b'], circle, 1000);
  expect(places.map(({ id }) => id).sort()).toEqual(['a', 'b']);
  expect(paths.every((path) => /^M[\d.-]+ /.test(path))).toBe(true);
});

const services = [
  { serviceId: 'web', slug: 'web', keys: ['GREETING', 'SECRET', 'PUBLIC_URL'] },
  { serviceId: 'db', slug: 'db', keys: ['DATABASE_URL', 'DATABASE_URL_PUBLIC', 'PGHOST'] },
  { serviceId: 'empty', slug: 'empty', keys: [] },
];
const complete = (text: string) => completeReference(text, services, 'web', 'SECRET');
const texts = (text: string) => complete(text)?.found.map((one) => one.text);

test('a reference is completed with own variables and services, then with those of the service', () => {
  expect(texts('${')).toEqual(['${GREETING}', '${PUBLIC_URL}', '${PUBLIC_HOST}', '${db.']);
  expect(texts('a ${GR')).toEqual(['${GREETING}']);
  expect(complete('a ${GR')?.from).toBe(2);
  expect(texts('${d')).toEqual(['${db.']);
  expect(texts('${db.')).toEqual(['${db.DATABASE_URL}', '${db.DATABASE_URL_PUBLIC}', '${db.PGHOST}']);
  expect(texts('${db.host')).toEqual(['${db.PGHOST}']);
  expect(texts('${GREETING} ${db.p')).toEqual(['${db.PGHOST}', '${db.DATABASE_URL_PUBLIC}']);
});

test('nothing is completed outside of a reference, in a literal one, or where nothing fits', () => {
  for (const text of ['', 'text', '$', '${db.PGHOST}', '$${', '$${db.', '${other.', '${nothing like it'])
    expect(complete(text), text).toBeUndefined();
  expect(texts('$$${db.pg')).toEqual(['${db.PGHOST}']);
});
