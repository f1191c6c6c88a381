/** No deployment begins on a host that is nearly full. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { neededBytes, readDiskSpace } from '../../../runner/docker/disk-space.ts';
import { type DeployFixture, deployFixture, webApp } from '../../support/docker/deploy-fixture.ts';

let fixture: DeployFixture;

beforeAll(async () => {
  fixture = await deployFixture();
  fixture.commit('shop', webApp('old'));
});

afterAll(() => fixture?.remove());

test('a deployment needs a free gigabyte, or a twentieth of a large disk', () => {
  expect(neededBytes({ freeBytes: 0, totalBytes: 10e9 })).toBe(1e9);
  expect(neededBytes({ freeBytes: 0, totalBytes: 100e9 })).toBe(5e9);
});

test('free space is what the file system reports, and unknown for a missing path', async () => {
  const space = await readDiskSpace(fixture.host.dataDirectory);
  expect(space?.freeBytes).toBeGreaterThan(0);
  expect(space?.freeBytes).toBeLessThan(space?.totalBytes ?? 0);
  expect(await readDiskSpace('/no/such/path')).toBeUndefined();
});

test('a full host fails a deployment with the numbers before anything is fetched, and still rolls back', async () => {
  const { dataDirectory } = fixture.host;
  const live = fixture.spec({ source: fixture.gitSource('shop') });
  expect((await fixture.deploy(live)).result.outcome).toBe('succeeded');
  const before = await fixture.host.leftovers();
  fixture.parts.readDiskSpace = async (path) =>
    path === dataDirectory ? { freeBytes: 812e6, totalBytes: 40e9 } : { freeBytes: 30e9, totalBytes: 40e9 };
  const { result, context } = await fixture.deploy(fixture.spec({}, live));
  expect(result).toEqual({
    outcome: 'threw',
    code: 'disk_full',
    message: `There is too little disk space left: 812 MB of 40,000 MB are free at ${dataDirectory}, and a deployment needs 2,000 MB. Remove unused images or free up space, then deploy again.`,
  });
  expect(context.phases).toEqual([]);
  expect(await fixture.host.leftovers()).toEqual(before);
  const back = { type: 'kept' as const, deploymentId: live.deploymentId, commitSha: null };
  expect((await fixture.deploy(fixture.spec({ source: back }, live))).result.outcome).toBe('succeeded');
});
