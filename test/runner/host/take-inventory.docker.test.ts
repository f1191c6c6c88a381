import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { hostInventorySchema } from '../../../protocol/host-request.ts';
import { labels } from '../../../protocol/names.ts';
import { takeInventory } from '../../../runner/host/take-inventory.ts';
import { deployFixture, webApp } from '../../support/docker/deploy-fixture.ts';
import { testId } from '../../support/docker/docker-host.ts';

test('a host lists what serves, data volumes without a container, and complete backup files', async () => {
  const fixture = await deployFixture();
  onTestFinished(() => fixture.remove());
  const { docker, dataDirectory, traffic } = fixture.parts;
  fixture.commit('shop', webApp('one'));
  const live = fixture.spec({ source: fixture.gitSource('shop') });
  expect((await fixture.deploy(live)).result.outcome).toBe('succeeded');
  const stopped = testId('service');
  const name = `longshore-${stopped}-data`;
  await docker.engine.createVolume({
    Name: name,
    Labels: { [labels.instance]: docker.instance, [labels.service]: stopped },
  });
  onTestFinished(async () => {
    await docker.engine.getVolume(name).remove();
  });
  const backups = join(dataDirectory, 'backups', stopped);
  await mkdir(backups, { recursive: true });
  await writeFile(join(backups, 'bak_whole'), 'x');
  await writeFile(join(backups, 'bak_half.part'), 'x');

  const inventory = hostInventorySchema.parse(await takeInventory({ docker, traffic, dataDirectory }));
  const found = new Map(inventory.services.map((service) => [service.serviceId, service]));
  expect(found.size).toBe(2);
  expect(found.get(live.serviceId)).toMatchObject({
    deploymentId: live.deploymentId,
    projectId: live.projectId,
    isRunning: true,
    hostPort: live.hostPort,
  });
  expect(found.get(stopped)).toEqual({
    ...{ serviceId: stopped, projectId: null, deploymentId: null, isRunning: false },
    ...{ hostPort: 0, hostnames: [], volumes: [name], backups: ['bak_whole'] },
  });
});
