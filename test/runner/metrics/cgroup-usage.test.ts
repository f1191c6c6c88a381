/** The kernel's files of a container, as both versions of control groups have them, and as a system without them has none. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { findGroup } from '../../../runner/metrics/cgroup-usage.ts';
import { readHostUsage } from '../../../runner/metrics/host-usage.ts';
import { connectionsTo, networkBytes } from '../../../runner/metrics/process-network.ts';
import { temporaryDirectory } from '../../support/runner/temporary-directory.ts';

function tree(files: Record<string, string>): string {
  const root = temporaryDirectory();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return root;
}

const usageOf = (root: string) => findGroup(42, join(root, 'cgroup'), join(root, 'proc'))?.();

test('the files of version 2 give use, limits and kills of a container', () => {
  const group = 'cgroup/system.slice/docker-abc.scope';
  const root = tree({
    'proc/42/cgroup': '0::/system.slice/docker-abc.scope\n',
    [`${group}/cgroup.procs`]: '42\n57\n',
    [`${group}/cpu.stat`]: 'usage_usec 2500000\nuser_usec 1\nsystem_usec 2\n',
    [`${group}/cpu.max`]: '150000 100000\n',
    [`${group}/memory.current`]: '9000\n',
    [`${group}/memory.stat`]: 'anon 5000\nfile 4000\ninactive_file 3000\n',
    [`${group}/memory.max`]: '67108864\n',
    [`${group}/memory.events`]: 'low 0\nhigh 0\nmax 3\noom 2\noom_kill 1\noom_group_kill 0\n',
    [`${group}/io.stat`]:
      '8:0 rbytes=100 wbytes=200 rios=1 wios=2 dbytes=0 dios=0\n8:16 rbytes=5 wbytes=6 rios=1 wios=1\n',
  });
  expect(usageOf(root)).toEqual({
    ...{ cpuSeconds: 2.5, memory: 6_000, memoryLimit: 67_108_864, cpuLimit: 1.5 },
    ...{ diskRead: 105, diskWrite: 206, outOfMemory: 1, pid: 42 },
  });
});

test('version 2 without limits and without the controller of disks says that it does not know them', () => {
  const root = tree({
    'proc/42/cgroup': '0::/docker/abc\n',
    'cgroup/docker/abc/cgroup.procs': '',
    'cgroup/docker/abc/cpu.stat': 'usage_usec 10\n',
    'cgroup/docker/abc/cpu.max': 'max 100000\n',
    'cgroup/docker/abc/memory.max': 'max\n',
  });
  const usage = usageOf(root);
  expect(usage?.cpuSeconds).toBe(0.00001);
  const { cpuLimit, memoryLimit, memory, diskRead, pid } = usage ?? {};
  expect([cpuLimit, memoryLimit, memory, diskRead, pid]).toEqual(new Array(5).fill(undefined));
});

test('the files of version 1 give the same', () => {
  const root = tree({
    'proc/42/cgroup':
      '9:memory:/docker/abc\n7:cpuset,cpuacct:/docker/abc\n5:cpu:/docker/abc\n3:blkio:/docker/abc\n0::/\n',
    'cgroup/memory/docker/abc/cgroup.procs': '42\n',
    'cgroup/memory/docker/abc/memory.usage_in_bytes': '9000\n',
    'cgroup/memory/docker/abc/memory.stat': 'cache 1\ninactive_file 1\ntotal_inactive_file 3000\n',
    'cgroup/memory/docker/abc/memory.limit_in_bytes': '9223372036854771712\n',
    'cgroup/memory/docker/abc/memory.oom_control': 'oom_kill_disable 0\nunder_oom 0\noom_kill 4\n',
    'cgroup/cpuacct/docker/abc/cpuacct.usage': '2500000000\n',
    'cgroup/cpu/docker/abc/cpu.cfs_quota_us': '50000\n',
    'cgroup/cpu/docker/abc/cpu.cfs_period_us': '100000\n',
    'cgroup/blkio/docker/abc/blkio.throttle.io_service_bytes_recursive':
      '8:0 Read 100\n8:0 Write 200\n8:0 Sync 300\n8:0 Total 300\nTotal 300\n',
  });
  expect(usageOf(root)).toEqual({
    ...{ cpuSeconds: 2.5, memory: 6_000, memoryLimit: undefined, cpuLimit: 0.5 },
    ...{ diskRead: 100, diskWrite: 200, outOfMemory: 4, pid: 42 },
  });
});

test('a process that is gone, and a system without control groups, have no group', () => {
  expect(usageOf(tree({}))).toBeUndefined();
  expect(usageOf(tree({ 'proc/42/cgroup': '0::/docker/gone\n' }))).toBeUndefined();
});

test('traffic is the sum of the interfaces without loopback, and connections are those to the port of the database', () => {
  const header =
    'Inter-|   Receive                                                |  Transmit\n face |bytes    packets\n';
  const interfaces =
    '    lo: 900 1 0 0 0 0 0 0 900 1 0 0 0 0 0 0\n  eth0: 1000 1 0 0 0 0 0 0 2000 1 0 0 0 0 0 0\n  eth1:5 1 0 0 0 0 0 0 6 1 0 0 0 0 0 0\n';
  const table = (lines: string[]) => `  sl  local_address rem_address   st\n${lines.join('\n')}\n`;
  const connection = (n: number, local: string, state: string) =>
    `   ${n}: ${local} 0200000A:D431 ${state} 00000000:00000000 00:00000000 00000000   999        0 1 1`;
  const root = tree({
    'net/dev': header + interfaces,
    'net/tcp': table([
      connection(0, '00000000:1538', '0A'),
      connection(1, '0300000A:1538', '01'),
      connection(2, '0300000A:1538', '06'),
      connection(3, '0300000A:0050', '01'),
    ]),
    'net/tcp6': table([connection(0, '0000000000000000FFFF00000300000A:1538', '01')]),
  });
  expect(networkBytes(root)).toEqual({ received: 1005, sent: 2006 });
  expect(connectionsTo(root, 5432)).toBe(2);
  expect(connectionsTo(join(root, 'none'), 5432)).toBeUndefined();
});

test('a host counts its own disks and interfaces, and nothing twice', async () => {
  const root = tree({
    'proc/stat': 'cpu  100 20 30 4000 50 6 7 8 0 0\ncpu0 1 2 3\ncpu1 1 2 3\nintr 1\n',
    'proc/meminfo': 'MemTotal:        2000 kB\nMemFree:          100 kB\nMemAvailable:     500 kB\n',
    'proc/self/net/dev':
      '  eth0: 10 1 0 0 0 0 0 0 20 1 0 0 0 0 0 0\n veth12: 7 1 0 0 0 0 0 0 7 1 0 0 0 0 0 0\n br-1: 7 1 0 0 0 0 0 0 7 1 0 0 0 0 0 0\n',
    'proc/diskstats':
      '   8       0 sda 5 0 10 1 5 0 20 1 0 0 0\n   8       1 sda1 5 0 10 1 5 0 20 1 0 0 0\n 253       0 dm-0 5 0 10 1 5 0 20 1 0 0 0\n',
    'sys/block/sda/size': '1',
    'sys/block/dm-0/size': '1',
  });
  const usage = await readHostUsage(root, join(root, 'proc'), join(root, 'sys'));
  expect(usage).toMatchObject({
    ...{ cpuSeconds: 1.63, cpuLimit: 2, memory: 1_500 * 1024, memoryLimit: 2_000 * 1024 },
    ...{ received: 10, sent: 20, diskRead: 5_120, diskWrite: 10_240 },
  });
  expect(usage.diskUsed).toBeGreaterThan(0);
  expect(usage.diskLimit).toBeGreaterThan(usage.diskUsed ?? 0);
});
