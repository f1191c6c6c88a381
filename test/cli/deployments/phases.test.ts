import { expect, test } from 'vitest';
import { firstPhase, nextPhase, phaseBars, phaseEnd } from '../../../cli/deployments/phases.ts';

const line = (text: string, stream: 'system' | 'stdout' = 'system') => phaseEnd({ stream, line: text });

test("only the platform's own lines end a phase", () => {
  expect(line('build: done in 12.3 s')).toEqual({ name: 'build', seconds: 12.3, failed: false });
  expect(line('health: ended after 60.0 s')).toEqual({ name: 'health', seconds: 60, failed: true });
  expect(line('build: done in 12.3 s', 'stdout')).toBeUndefined();
  expect(line('Building Dockerfile')).toBeUndefined();
});

test('a restart begins with its start, an image with the pull in its build, a repository with its clone', () => {
  const first = (trigger: 'manual' | 'restart' | 'rollback', repoUrl: string) =>
    firstPhase({ trigger }, { repoUrl });
  expect([
    first('manual', 'https://git.example/shop'),
    first('manual', 'upload'),
    first('manual', 'container-image'),
    first('restart', 'upload'),
    first('rollback', 'container-image'),
  ]).toEqual(['clone', 'clone', 'build', 'start', 'start']);
  expect([nextPhase('clone'), nextPhase('finish')]).toEqual(['build', undefined]);
});

test('bars share the width by their time, and stay inside of a narrow window', () => {
  const phases = [
    { name: 'clone', seconds: 0.8, failed: false },
    { name: 'build', seconds: 10, failed: false },
    { name: 'health', seconds: 60, failed: true },
  ] as const;
  expect(phaseBars(phases, 80)).toEqual(
    [
      'clone            0.8 s  #',
      'build           10.0 s  #####',
      `health  60.0 s (failed)  ${'#'.repeat(30)}`,
    ].map((one, at) => (at < 2 ? one.replace('  ', '   ') : one)),
  );
  for (const bar of phaseBars(phases, 40)) expect(bar.length).toBeLessThan(40);
});
