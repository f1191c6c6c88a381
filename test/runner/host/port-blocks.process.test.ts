/** Real enrolments of this machine's ports, with a list of runners of the test's own. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { serviceRange } from '../../../local/setup/reserve-service-ports.ts';
import {
  blockLayout,
  busyPorts,
  enterPortBlocks,
  firstFreeBlock,
  withPortBlocks,
} from '../../../runner/host/port-blocks.ts';
import { readConfig } from '../../../runner/setup/config-file.ts';
import { lockDataDirectory } from '../../../runner/setup/data-lock.ts';
import { openMachineRegistry } from '../../../runner/setup/machine-registry.ts';
import { startChild } from '../../support/runner/child.ts';
import { enrolled } from '../../support/runner/enrolled.ts';
import { temporaryDirectory } from '../../support/runner/temporary-directory.ts';
import { startTestHub, type TestHub } from '../../support/runner/test-hub.ts';

let hub: TestHub;

beforeEach(async () => {
  const before = process.env.XDG_STATE_HOME;
  process.env.XDG_STATE_HOME = temporaryDirectory();
  hub = await startTestHub();
  return async () => {
    if (before === undefined) delete process.env.XDG_STATE_HOME;
    else process.env.XDG_STATE_HOME = before;
    await hub.close();
  };
});

const neighboursOf = async (dataDirectory: string) => {
  const registry = await openMachineRegistry(1_000);
  const found = registry?.neighbours(dataDirectory);
  registry?.close();
  return found;
};

/** A neighbour with these blocks. */
const neighbour = (first: number, isRunning: boolean) => ({
  dataDirectory: '/x',
  blocks: { webPorts: { first, last: first + 9 }, databasePorts: { first: 9, last: 9 } },
  isRunning,
});

async function listener(): Promise<number> {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void taken.close());
  const address = taken.address();
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

test('a machine has separate blocks for eight runners, all in the range that is reserved at the start', () => {
  const starts = [...blockLayout.web, ...blockLayout.databases];
  expect([blockLayout.web.length, blockLayout.databases.length]).toEqual([8, 8]);
  expect(new Set(starts.map((first) => Math.floor(first / blockLayout.size))).size).toBe(16);
  expect(Math.min(...starts)).toBe(serviceRange.first);
  expect(Math.max(...starts) + blockLayout.size - 1).toBe(serviceRange.last);
});

test('two runners that are enrolled at the same time get different ports', async () => {
  const directories = [temporaryDirectory(), temporaryDirectory()].map((one) => join(one, 'runner'));
  const children = directories.map((data) =>
    startChild('test/support/runner/claim-blocks.ts', [data, hub.url]),
  );
  for (const child of children) expect(await child.ended, child.output()).toBe(0);
  const configs = directories.map((data) => readConfig(data, {}));
  expect(configs.map(({ webPorts }) => webPorts.first).sort()).toEqual([63_410, 63_420]);
  expect(configs.map(({ databasePorts }) => databasePorts.first).sort()).toEqual([63_430, 63_440]);
});

test('an enrolment that fails leaves its ports to the next one', async () => {
  const layout = { size: 10, web: [63_450], databases: [63_460] };
  const refused = withPortBlocks(
    temporaryDirectory(),
    async () => {
      throw new Error('refused');
    },
    layout,
  );
  await expect(refused).rejects.toThrow('refused');
  expect(await neighboursOf('/none')).toEqual([]);
});

test('a runner whose settings are gone has no ports any more', async () => {
  const data = temporaryDirectory();
  enrolled(data, hub);
  expect(await enterPortBlocks(data, readConfig(data, {}))).toEqual([]);
  expect(await neighboursOf('/none')).toMatchObject([{ dataDirectory: data, isRunning: false }]);
  const lock = lockDataDirectory(data);
  expect(await neighboursOf('/none')).toMatchObject([{ dataDirectory: data, isRunning: true }]);
  lock.release();
  expect(await neighboursOf(data)).toEqual([]);
  rmSync(join(data, 'runner.json'));
  expect(existsSync(data)).toBe(true);
  expect(await neighboursOf('/none')).toEqual([]);
});

test('a runner that starts names the one that has the same ports', async () => {
  const [one, two] = [temporaryDirectory(), temporaryDirectory()];
  for (const data of [one, two]) enrolled(data, hub);
  expect(await enterPortBlocks(one, readConfig(one, {}))).toEqual([]);
  expect(await enterPortBlocks(two, readConfig(two, {}))).toEqual([expect.stringContaining(one)]);
});

test('a damaged list of runners stops no runner', async () => {
  const directory = join(process.env.XDG_STATE_HOME ?? '', 'longshore');
  mkdirSync(directory);
  writeFileSync(join(directory, 'runners.db'), 'this is no database. '.repeat(100));
  const data = temporaryDirectory();
  enrolled(data, hub);
  expect(await enterPortBlocks(data, readConfig(data, {}))).toEqual([]);
});

test('a block with a port in use is skipped', async () => {
  const port = await listener();
  const free = await firstFreeBlock([port - 5, 63_100], 10, []);
  expect(free).toEqual({ first: 63_100, last: 63_109 });
  await expect(firstFreeBlock([port - 5], 10, [])).rejects.toMatchObject({ code: 'no_free_ports' });
});

test('the ports of a block where programs listen are known', async () => {
  const port = await listener();
  expect(await busyPorts({ first: port, last: port })).toEqual([port]);
  expect(await busyPorts({ first: port + 1, last: port })).toEqual([]);
});

test('the block of a runner that was just enrolled or started is taken after those of forgotten ones', async () => {
  const [forgotten, recent] = [temporaryDirectory(), temporaryDirectory()];
  for (const data of [forgotten, recent, forgotten, recent]) {
    enrolled(data, hub);
    await enterPortBlocks(data, readConfig(data, {}));
  }
  const names = (await neighboursOf('/none'))?.map(({ dataDirectory }) => dataDirectory);
  expect(names).toEqual([forgotten, recent]);
  await enterPortBlocks(forgotten, readConfig(forgotten, {}));
  const now = (await neighboursOf('/none'))?.map(({ dataDirectory }) => dataDirectory);
  expect(now).toEqual([recent, forgotten]);
  const neighbours = [neighbour(63_300, false), neighbour(63_200, false)];
  expect(await firstFreeBlock([63_200, 63_300], 10, neighbours)).toMatchObject({ first: 63_300 });
});

test('a block of another runner is taken last, and never while that runs', async () => {
  const starts = [63_200, 63_300];
  const first = async (...neighbours: Parameters<typeof firstFreeBlock>[2]) =>
    (await firstFreeBlock(starts, 10, neighbours)).first;
  expect(await first(neighbour(63_205, false))).toBe(63_300);
  expect(await first(neighbour(63_200, true), neighbour(63_300, false))).toBe(63_300);
  await expect(first(neighbour(63_200, true), neighbour(63_300, true))).rejects.toMatchObject({
    code: 'no_free_ports',
  });
});
