/** A backup of a volume has every file as it was, and its restore brings exactly them back. */
import { beforeAll, expect, test } from 'vitest';
import { useDeployFixture } from '../../../../support/docker/use-scenes.ts';
import { deployVolume, type TestVolume } from '../../../../support/docker/use-volume.ts';
import { testContext } from '../../../../support/runner/job-context.ts';

const fixture = useDeployFixture();
let service: TestVolume;
let filled: string;

beforeAll(async () => {
  service = await deployVolume(fixture);
  await service.fill();
  filled = await service.listing();
});

test('a restore brings back every kind of file with its owner, mode, time, links and holes', async () => {
  expect(filled).toMatch(/sparse.* holes /);
  const backup = await service.backUp();
  expect(backup.rows).toBeGreaterThan(15);
  expect(backup.sizeBytes).toBeLessThan(1_000_000);
  await service.inside(
    'cd /var/lib/app/data && rm -rf deep sparse && echo other > value && touch added && chmod 777 .',
  );
  const before = await fixture.host.volumes();
  const spec = service.restoreSpec(backup);
  expect(await service.run(spec)).toMatchObject({
    outcome: 'succeeded',
    facts: { archive: { rows: expect.any(Number) } },
  });
  expect(await service.listing()).toBe(filled);
  expect(await fixture.host.volumes()).toEqual(before);
  expect(await service.inside('ls -A /var/lib/app/data | grep longshore; true')).toBe('');
  expect(await fixture.answer(service.live)).toBe('new');
});

test('a file of ten terabytes of holes holds a restore up for seconds, not for hours', async () => {
  const holes = '/var/lib/app/data/holes';
  await service.inside(`truncate -s ${10 * 2 ** 40} ${holes}`);
  const backup = await service.backUp();
  const context = testContext();
  const result = await service.run(service.restoreSpec(backup), context);
  expect(result).toMatchObject({ outcome: 'succeeded' });
  expect(context.text()).toContain('10240 GB of holes, so they are not compared');
  expect(await service.inside(`stat -c %s ${holes}; rm ${holes}`)).toBe(`${10 * 2 ** 40}\n`);
});
