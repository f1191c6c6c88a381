import { expect, test } from 'vitest';
import { areConfined, hasStorageLimits, hasUserNamespaces } from '../../../runner/docker/docker-facts.ts';

const onXfs = (options: string) => `/dev/vda1 / ext4 rw,relatime 0 0
/dev/vdb1 /var/lib xfs rw 0 0
/dev/vdc1 /var/lib/docker xfs ${options} 0 0
/dev/vdd1 /var/lib/docker-backup xfs rw 0 0
`;

test.each<[string, string, string, boolean]>([
  ['XFS with project quotas', 'overlay2', onXfs('rw,relatime,prjquota'), true],
  ['XFS without them', 'overlay2', onXfs('rw,relatime,noquota'), false],
  ['another driver', 'overlayfs', onXfs('rw,relatime,prjquota'), false],
  ['ext4', 'overlay2', '/dev/vda1 / ext4 rw,prjquota 0 0\n', false],
  ['a root file system with project quotas', 'overlay2', '/dev/vda1 / xfs rw,prjquota 0 0\n', true],
  ['no mounts', 'overlay2', '', false],
])('Docker can limit the disk space of containers on %s', (_, Driver, mounts, expected) => {
  expect(hasStorageLimits({ Driver, DockerRootDir: '/var/lib/docker' }, mounts)).toBe(expected);
});

test.each<[string[] | null, boolean]>([
  [['name=seccomp,profile=default', 'name=userns'], true],
  [['name=seccomp,profile=builtin', 'name=rootless', 'name=cgroupns'], true],
  [['name=seccomp,profile=userns'], false],
  [null, false],
])('the security options %j mean user namespaces: %s', (SecurityOptions, expected) => {
  expect(hasUserNamespaces({ SecurityOptions })).toBe(expected);
});

test.each([
  [['docker-default (enforce)\n', 'docker-default (enforce)\n'], true],
  [['docker-default (enforce)\n', 'unconfined\n'], false],
  [['unconfined\0'], false],
  [['', ''], null],
  [[], null],
])('containers with the profiles %j count as confined by AppArmor: %s', (profiles, confined) => {
  expect(areConfined(profiles)).toBe(confined);
});
