/** The only access to its host that a container of an instance may have. */
import type Docker from 'dockerode';
import { expect } from 'vitest';

type Found = Docker.ContainerInspectInfo;

/** Options that would let a program escape from its container or into another one. */
const forbidden = [
  'Binds',
  'Mounts',
  'Tmpfs',
  'VolumesFrom',
  'Privileged',
  'PidMode',
  'UTSMode',
  'UsernsMode',
  'Devices',
  'DeviceRequests',
  'DeviceCgroupRules',
  'PortBindings',
  'PublishAllPorts',
  'ExtraHosts',
  'Links',
  'GroupAdd',
  'Sysctls',
  'CgroupParent',
  'Runtime',
];
const dockersOwnRuntime = 'runc';
const allowedCapabilities = [
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'NET_BIND_SERVICE',
  'SETGID',
  'SETUID',
];

/** Created for reading the files of an image, and never started. */
export const isNeverStarted = ({ Config }: Found) => Config.Cmd?.[0] === 'none';

/** Checks a rule for every container. */
export function expectNoWayOut({ Name, HostConfig }: Found): void {
  const given = forbidden.filter((name) => !isNothing((HostConfig as Record<string, unknown>)[name]));
  expect([Name, given]).toEqual([Name, []]);
  expect(HostConfig).toMatchObject({
    IpcMode: 'private',
    ReadonlyPaths: expect.arrayContaining(['/proc/sys']),
    MaskedPaths: expect.arrayContaining(['/proc/kcore']),
  });
}

/** Checks the additional rules for containers that run code of users. */
export function expectLimited({ HostConfig }: Found, limits: { memoryMb: number; cpus: number }): void {
  const memory = limits.memoryMb * 1024 * 1024;
  expect(HostConfig).toMatchObject({
    CapDrop: ['ALL'],
    SecurityOpt: ['no-new-privileges'],
    PidsLimit: 4096,
    Memory: memory,
    MemorySwap: memory,
    NanoCpus: limits.cpus * 1e9,
  });
  for (const capability of HostConfig.CapAdd ?? []) {
    expect(allowedCapabilities).toContain(capability.replace(/^CAP_/, ''));
  }
}

function isNothing(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return [null, undefined, '', false, dockersOwnRuntime].includes(value as undefined);
}
