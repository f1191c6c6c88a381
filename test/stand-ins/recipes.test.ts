import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { databaseEngines } from '../../worker/domain/databases/database-engines.ts';
import { mongo } from './mongo.ts';
import { engineImages, standIns } from './recipes.ts';

test('every engine that the platform offers has a stand-in, which `npm test` makes', () => {
  const known = standIns.map(({ image }) => image);
  for (const { image } of Object.values(databaseEngines)) {
    expect(known).toContain(image);
    expect(engineImages).toContain(image);
  }
});

test("the stand-in for MongoDB is made of the gateway's files: a change of one makes a new image", async () => {
  const { gateway, npm = '' } = await mongo.inputs();
  expect(gateway).toMatch(/^[0-9a-f]{64}$/);
  const manifest = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
  const { bson, pg } = manifest.dependencies;
  expect(npm).toBe(`bson@${bson} pg@${pg}`);
});
