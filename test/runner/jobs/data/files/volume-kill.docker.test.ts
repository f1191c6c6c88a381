/**
 * `kill -9` of the runner during a backup and a restore of a volume: the next process ends the job, and no file is lost. `npm test` tries a
 * third of the points, `npm run test:all` all of them (3 min).
 */
import { beforeAll, expect, test } from 'vitest';
import type { CrashPoint } from '../../../../../runner/base/crash-point.ts';
import { stable } from '../../../../support/docker/deploy-fixture.ts';
import { inspect, testId } from '../../../../support/docker/docker-host.ts';
import { useDeployFixture } from '../../../../support/docker/use-scenes.ts';
import { deployVolume, type StoredVolume, type TestVolume } from '../../../../support/docker/use-volume.ts';
import {
  endsWithinMs,
  obey,
  resultOf,
  startRunner,
  untilKilled,
} from '../../../../support/instance/killed-runner.ts';
import { fixedPart } from '../../../../support/level.ts';
import { enrolled } from '../../../../support/runner/enrolled.ts';
import { startTestHub } from '../../../../support/runner/test-hub.ts';
import { until } from '../../../../support/runner/until.ts';

const fixture = useDeployFixture();
let service: TestVolume;
let backup: StoredVolume;
let saved: string;
let before: string;
let epoch = 0;

beforeAll(async () => {
  service = await deployVolume(fixture);
  await service.fill();
  saved = await service.listing();
  backup = await service.backUp();
  await service.inside('cd /var/lib/app/data && rm -rf deep sparse && touch added && chmod 700 .');
  before = await service.listing();
});

async function killAt(point: CrashPoint, spec: object) {
  const { docker, dataDirectory } = fixture.host;
  const hub = await startTestHub();
  const args = [dataDirectory, docker.instance, 'http://127.0.0.1:9'];
  epoch += 1;
  const { start } = enrolled(dataDirectory, hub);
  obey(hub);
  const first = startRunner(args, point);
  try {
    await hub.welcomed(1);
    hub.send({ ...start('job_1', { epoch }), spec } as Parameters<typeof hub.send>[0]);
    await untilKilled(first, hub, { point, epoch });
  } finally {
    await first.stop();
  }
  const next = startRunner(args, undefined);
  try {
    const result = await until('a result', () => resultOf(hub, epoch), endsWithinMs);
    return result.outcome === 'failed' ? result.code : result.outcome;
  } finally {
    await next.stop();
    await hub.close();
  }
}

/** Everything that is on the host; the safety copy of a restore that succeeded is the one file more. */
async function expectAtRest(volumes: string[], containers: string[]): Promise<void> {
  expect((await inspect(fixture.host.docker, stable(service.live))).State.Running).toBe(true);
  expect(await fixture.host.volumes()).toEqual(volumes);
  expect((await fixture.host.leftovers()).filter((name) => !name.includes('prj_'))).toEqual(containers);
  await expect.poll(() => fixture.answer(service.live).catch(() => '')).toBe('new');
}

const kills: [CrashPoint, 'backup' | 'restore' | 'drill' | 'fill', string][] = [
  ['dump:quiesced', 'backup', 'runner_restarted'],
  ['load:made', 'drill', 'runner_restarted'],
  ['load:done', 'drill', 'runner_restarted'],
  ['load:made', 'fill', 'runner_restarted'],
  ['load:done', 'fill', 'runner_restarted'],
  ['load:done', 'restore', 'runner_restarted'],
  ['switch:stopped', 'restore', 'runner_restarted'],
  ['verify:kept', 'restore', 'runner_restarted'],
  ['switch:aside', 'restore', 'runner_restarted'],
  ['switch:filled', 'restore', 'succeeded'],
  ['switch:served', 'restore', 'succeeded'],
];

test.each(fixedPart(kills, 3))(
  'a runner killed at %s of a %s ends it as %s, the service runs, and its files are whole',
  { tags: 'matrix' },
  async (point, kind, end) => {
    const volumes = await fixture.host.volumes();
    const containers = (await fixture.host.leftovers()).filter((name) => !name.includes('prj_'));
    const specs = {
      backup: () => service.backupSpec({ quiesce: { type: 'stop' } }),
      restore: () => service.restoreSpec(backup),
      drill: () => service.drillSpec(backup),
      fill: () => service.fillSpec(backup, { volume: { id: testId('volume'), name: 'data', sizeMb: null } }),
    };
    expect(await killAt(point, specs[kind]())).toBe(end);
    await expectAtRest(volumes, containers);
    expect(await service.listing()).toBe(end === 'succeeded' ? saved : before);
    if (end !== 'succeeded') return;
    await service.inside('cd /var/lib/app/data && rm -rf deep sparse && touch added && chmod 700 .');
    before = await service.listing();
  },
);
