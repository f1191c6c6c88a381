import { expect, test } from 'vitest';
import { sourceAddresses } from '../../../../../runner/jobs/data/url-origin.ts';

const own = '140.82.121.3';
const rules = { allowPrivateImports: false, databasePorts: { first: 42_000, last: 42_999 } };
const addressOf = sourceAddresses(rules, [own]);

test.each([42_000, 42_999, 443])('an import may name port %i of this host itself', async (port) => {
  expect(await addressOf(own, port)).toBe(own);
});

test.each([5432, 41_999, 43_000])('an import may not name port %i of this host itself', async (port) => {
  await expect(addressOf(own, port)).rejects.toMatchObject({
    code: 'source_refused',
    message: `${own} leads to port ${port} of this host itself, which this host's operator has not allowed (LONGSHORE_ALLOW_PRIVATE=import).`,
  });
});

test('an import may name any port of another host, and of this one if the operator allows it', async () => {
  expect(await addressOf('140.82.121.4', 5432)).toBe('140.82.121.4');
  expect(await sourceAddresses({ ...rules, allowPrivateImports: true }, [own])(own, 5432)).toBe(own);
});
