import { expect, test } from 'vitest';
import { nodeSlim } from '../../../local/images/node-slim.ts';
import { recipeHash } from '../../../local/images/recipe.ts';
import { recipes } from '../../../local/images/recipes.ts';

const hash = recipeHash('node:24-slim', { node: 'v24.1.0', npm: '11.0.0' }, ['CMD ["node"]']);

test('the hash of a recipe does not depend on the order of the inputs', () => {
  expect(recipeHash('node:24-slim', { npm: '11.0.0', node: 'v24.1.0' }, ['CMD ["node"]'])).toBe(hash);
});

test.each([
  ['the name', recipeHash('node:22-slim', { node: 'v24.1.0', npm: '11.0.0' }, ['CMD ["node"]'])],
  ['an input', recipeHash('node:24-slim', { node: 'v24.1.1', npm: '11.0.0' }, ['CMD ["node"]'])],
  ['the config', recipeHash('node:24-slim', { node: 'v24.1.0', npm: '11.0.0' }, ['CMD ["npm"]'])],
])('the hash of a recipe changes with %s', (_, other) => {
  expect(other).not.toBe(hash);
});

test("the stand-in for Node is built from this machine's own files", async () => {
  expect(await nodeSlim.inputs()).toMatchObject({
    node: process.version,
    architecture: process.arch,
    caBundle: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
});

test('the user node owns only its home directory', () => {
  expect(['home/node', 'home/node/.npm', 'home/nodes', 'usr/local/bin/node'].map(nodeSlim.owner)).toEqual([
    1000, 1000, 0, 0,
  ]);
});

test('MongoDB and ClickHouse have no recipe in the product', () => {
  expect(recipes.map(({ image }) => image).toSorted()).toEqual([
    'mysql:9',
    'node:24-slim',
    'postgres:17',
    'redis:8',
    'timescale/timescaledb:latest-pg17',
  ]);
});
