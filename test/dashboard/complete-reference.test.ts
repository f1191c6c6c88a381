/** The completion of references. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of variables are written like that
import { expect, test } from 'vitest';
import { completeReference } from '../../dashboard/pages/service/variables/complete-reference.ts';

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
