/** Where BuildKit's groups are, on a copy of each layout: the directories are what Docker and runc make of their settings. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stepGroups } from '../../../runner/build-caps/step-groups.ts';
import { temporaryDirectory } from '../../support/runner/temporary-directory.ts';

const step = 'xu2ibweb6u1yy263kqq5m6qpg';
const container = '4976d7ed1a5407ad897cb21f81dc0707a8b8542dadcfd9e75dd05a0e8a608e7e';

const found = (...directories: string[]) => {
  const root = temporaryDirectory();
  for (const name of directories) mkdirSync(join(root, name), { recursive: true });
  return stepGroups({ version: 2, memory: root, cpu: root, pids: root });
};

test.each([
  ['the cgroupfs driver', `docker/buildkit/${step}`, `docker/${container}`],
  [
    'the systemd driver, version 2',
    `system.slice/system.slice:docker:${step}`,
    `system.slice/docker-${container}.scope`,
  ],
  [
    'the systemd driver, version 1',
    `system.slice/docker.service/system.slice:docker:${step}`,
    `system.slice/docker-${container}.scope`,
  ],
  ['a Docker outside of any unit', `system.slice:docker:${step}`, `docker/${container}`],
  ['a parent slice of the operator', `system.slice/apps.slice:docker:${step}`, 'apps.slice/other.service'],
])('a step is found with %s, and containers and services are left alone', (_, group, other) => {
  expect(found(group, other, 'system.slice/cron.service', 'user.slice')).toEqual([group]);
});

test('nothing is found before the first build', () => {
  expect(found('docker', 'system.slice/docker.service')).toEqual([]);
});
