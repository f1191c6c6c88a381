import { expect, test } from 'vitest';
import {
  changedNames,
  changedSettings,
  phaseTimes,
} from '../../../../worker/domain/deployments/compare-specs.ts';

test('names are added, changed or removed, and those with one value are none of it', () => {
  const before = new Map([
    ['A', '1'],
    ['B', '1'],
    ['C', ''],
  ]);
  const after = new Map([
    ['B', '2'],
    ['C', ''],
    ['D', '1'],
  ]);
  expect(changedNames(before, after)).toEqual({ added: ['D'], changed: ['B'], removed: ['A'] });
  expect(changedNames(before, before)).toEqual({ added: [], changed: [], removed: [] });
});

test('settings of a source are compared only with those of a source of the same kind', () => {
  const spec = (source: object) =>
    ({
      source,
      build: { method: 'auto', dockerfilePath: null, installCommand: null, buildCommand: null },
      runtimeMode: 'web',
      internalPort: 80,
      container: { command: ['a', 'b'] },
      volumes: [{ name: 'data', mountPath: '/data', sizeMb: 5 }],
    }) as unknown as Parameters<typeof changedSettings>[0];
  const git = (branch: string) => spec({ type: 'git', url: 'https://git.example/a', branch, rootDir: null });
  const kept = spec({ type: 'kept', deploymentId: 'dep_x', commitSha: null });
  expect(changedSettings(git('main'), git('next'))).toEqual([
    { name: 'branch', before: 'main', after: 'next' },
  ]);
  expect(changedSettings(git('main'), kept)).toEqual([]);
  expect(changedSettings(kept, { ...kept, container: { command: ['a b'] }, replicas: 2 })).toEqual([
    { name: 'command', before: '["a","b"]', after: '["a b"]' },
    { name: 'replicas', before: '1', after: '2' },
  ]);
  const { volumes: _, ...without } = kept;
  expect(changedSettings(kept, without)).toEqual([
    { name: 'volumes', before: '["data: /data, 5 MB"]', after: null },
  ]);
});

test('only lines of the platform tell times of phases', () => {
  const lines = [
    { stream: 'system', line: 'clone: done in 0.4 s' },
    { stream: 'stdout', line: 'build: done in 99.0 s' },
    { stream: 'system', line: 'build: ended after 12.5 s' },
    { stream: 'system', line: 'done in 3.0 s' },
  ];
  expect([...phaseTimes(lines)]).toEqual([
    ['clone', 0.4],
    ['build', 12.5],
  ]);
});
