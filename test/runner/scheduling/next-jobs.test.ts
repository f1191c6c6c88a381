import { expect, test } from 'vitest';
import { placesOfHost } from '../../../protocol/job-places.ts';
import { nextJobs, type PlacedJob } from '../../../runner/scheduling/next-jobs.ts';

const job = (serviceId: string, kind: PlacedJob['kind'], phase: PlacedJob['phase'] = null): PlacedJob => ({
  serviceId,
  kind,
  phase,
});
const next = (waiting: PlacedJob[], running: PlacedJob[]) =>
  nextJobs(waiting, running, placesOfHost).map(({ serviceId }) => serviceId);

test('as many deployments begin as there are places, in the order they came', () => {
  expect(next([job('a', 'deploy'), job('b', 'deploy'), job('c', 'deploy')], [])).toEqual(['a', 'b']);
});

test('backups that run for hours keep no deployment waiting, nor deployments a backup', () => {
  const dumps = [job('a', 'backup', 'dump'), job('b', 'import', 'load')];
  expect(next([job('c', 'backup'), job('d', 'deploy')], dumps)).toEqual(['d']);
  const builds = [job('a', 'deploy', 'build'), job('b', 'deploy', 'clone')];
  expect(next([job('c', 'deploy'), job('d', 'backup')], builds)).toEqual(['d']);
});

test('an app that waits for its health check occupies no slot', () => {
  expect(next([job('c', 'deploy')], [job('a', 'deploy', 'health'), job('b', 'deploy', 'build')])).toEqual([
    'c',
  ]);
});

test('one drill runs at a time, beside everything else', () => {
  expect(next([job('a', 'drill'), job('b', 'drill'), job('c', 'backup')], [])).toEqual(['a', 'c']);
});

test('a command runs beside every job of its service, eight on a host at a time', () => {
  expect(next([job('a', 'run'), job('a', 'deploy')], [job('a', 'run', 'run')])).toEqual(['a', 'a']);
  const commands = Array.from({ length: 9 }, () => job('a', 'run'));
  expect(next(commands, [job('a', 'deploy', 'build')])).toHaveLength(8);
});

test("a service's second job waits for its first, whatever they are, and others go past it", () => {
  expect(next([job('a', 'deploy'), job('b', 'deploy')], [job('a', 'backup', 'dump')])).toEqual(['b']);
  expect(next([job('a', 'backup'), job('a', 'deploy'), job('b', 'deploy')], [])).toEqual(['a', 'b']);
});
