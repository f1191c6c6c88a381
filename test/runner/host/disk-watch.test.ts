/** When the disk watch measures: it must cost nothing while nothing is written. */
import { expect, onTestFinished, test } from 'vitest';
import { labels } from '../../../protocol/names.ts';
import type { DockerHost } from '../../../runner/docker/client.ts';
import { startDiskWatch } from '../../../runner/host/disk-watch.ts';
import { manualClock } from '../../support/runner/manual-clock.ts';
import { silentLogger } from '../../support/runner/silent-logger.ts';

const mb = 2 ** 20;

/** A daemon that counts how often its containers are listed. */
function stage() {
  const clock = manualClock();
  let free = 10_000 * mb;
  let rounds = 0;
  const engine = {
    listContainers: async () => {
      rounds += 1;
      return [];
    },
  };
  const docker = { engine, instance: 'run_x' } as unknown as DockerHost;
  const watch = startDiskWatch({ docker, clock, logger: silentLogger, freeBytes: async () => free });
  onTestFinished(() => watch.stop());
  const seconds = async (count: number) => {
    for (let second = 0; second < count; second++) await clock.advance(1_000);
  };
  return { clock, seconds, rounds: () => rounds, write: (bytes: number) => (free -= bytes) };
}

test('containers are measured every five minutes while little is written, and within seconds after much was', async () => {
  const { seconds, rounds, write } = stage();
  await seconds(290);
  expect(rounds()).toBe(1);
  await seconds(20);
  expect(rounds()).toBe(2);
  write(255 * mb);
  await seconds(10);
  expect(rounds()).toBe(2);
  write(1 * mb);
  await seconds(4);
  expect(rounds()).toBe(3);
  await seconds(60);
  expect(rounds()).toBe(3);
});

test.each([
  ['back', 3_600_000],
  ['forward', -3_600_000],
])(
  'a clock that is set %s by an hour changes nothing about when containers are measured',
  async (_, backMs) => {
    const { clock, seconds, rounds } = stage();
    await seconds(100);
    clock.setBack(backMs);
    await seconds(190);
    expect(rounds()).toBe(1);
    await seconds(20);
    expect(rounds()).toBe(2);
  },
);

test('a container whose many volumes are slow to count holds up the limits of the others for two minutes at most', async () => {
  const clock = manualClock();
  const sources = Array.from({ length: 10 }, (_, n) => `volume-${n}`);
  const container = {
    GraphDriver: { Data: { UpperDir: '/upper' } },
    Mounts: sources.map((Name) => ({ Type: 'volume', Name, Source: `/${Name}` })),
    HostConfig: { Mounts: sources.map((Source) => ({ Source })) },
  };
  const engine = {
    listContainers: async () => [{ Id: 'c', Names: ['/c'], Labels: { [labels.diskLimit]: '1' } }],
    getContainer: () => ({ inspect: async () => container }),
  };
  const limits: number[] = [];
  const measure = async (_: readonly string[], timeoutMs: number) => {
    limits.push(timeoutMs);
    await clock.advance(30_000);
    return 0;
  };
  const docker = { engine, instance: 'run_x' } as unknown as DockerHost;
  const watch = startDiskWatch({ docker, clock, logger: silentLogger, freeBytes: async () => 1, measure });
  onTestFinished(() => watch.stop());
  await expect.poll(() => limits.length).toBe(11);
  expect(limits).toEqual([120_000, 90_000, 60_000, 30_000, 1, 1, 1, 1, 1, 1, 1]);
});

test.each([
  ['runs on while a restore exchanges its files', new Set(['files']), false],
  ['is stopped', new Set<string>(), true],
])('a container whose volume holds more than its size %s', async (_, exchangedVolumes, isStopped) => {
  const volume = { id: 'vol_1', name: 'data', sizeMb: 1, source: 'files' };
  let measured = 0;
  const container = {
    inspect: async () => ({
      GraphDriver: { Data: { UpperDir: '/upper' } },
      Mounts: [{ Type: 'volume', Name: 'files', Source: '/files' }],
      HostConfig: { Mounts: [{ Source: 'files' }] },
    }),
    stop: async () => {},
  };
  const engine = {
    listContainers: async () => [
      { Id: 'c', Names: ['/c'], Labels: { [labels.volumes]: JSON.stringify([volume]) } },
    ],
    getContainer: () => container,
  };
  const measure = async ([directory]: readonly string[]) => {
    measured += 1;
    return directory === '/files' ? 2 * mb : 0;
  };
  const docker = { engine, instance: 'run_x' } as unknown as DockerHost;
  const parts = { docker, clock: manualClock(), logger: silentLogger, freeBytes: async () => 1 };
  const watch = startDiskWatch({ ...parts, measure, exchangedVolumes });
  onTestFinished(() => watch.stop());
  await expect.poll(() => measured).toBe(isStopped ? 2 : 1);
  await expect.poll(() => watch.stopReason('c') !== undefined).toBe(isStopped);
});
