/** One page of what several hosts have found: nothing is out of order, lost or shown twice, however far each host has come. */
import { expect, test } from 'vitest';
import type { FoundLine } from '../../../../protocol/logs/kept-logs.ts';
import { type HostPage, mergedPage } from '../../../../worker/usecases/logs/merged-page.ts';

type Order = 'newest' | 'oldest';
const places = ['svc_a', 'svc_a@run_old', 'svc_b'];

const lineOf = (serviceId: string, id: number): FoundLine => ({
  ...{ serviceId, id, stream: 'stdout', level: null, deploymentId: null, line: `${id}` },
});

/** A host that reads `step` lines for an answer, from where it stopped. */
function pageOf(place: string, ids: readonly number[], from: number | null, order: Order, step: number) {
  const logId = place.split('@')[0] ?? '';
  const sign = order === 'newest' ? -1 : 1;
  const left = ids
    .filter((id) => from === null || sign * (id - from) > 0)
    .toSorted((one, other) => sign * (one - other));
  const lines = left.slice(0, step).map((id) => lineOf(logId, id));
  const stopped = left.length > step ? 'bytes' : 'end';
  const services = [{ serviceId: logId, from: lines.at(-1)?.id ?? from, last: 0 }];
  const answer: HostPage['answer'] = { lines, services, stopped, scannedBytes: 1 };
  return { answer, placeOf: () => place };
}

test.each<[Order, number]>([
  ['newest', 100],
  ['newest', 2],
  ['oldest', 100],
  ['oldest', 2],
])('pages with the %s lines first, of %i lines at most, show each line once and in order', (order, limit) => {
  const all = Array.from({ length: 60 }, (_, index) => index + 1);
  // The host that was left has the older half, and a few lines of the time in which both ran.
  const logs = [
    all.filter((id) => id > 30 && id % 2 === 0),
    all.filter((id) => id < 36 && id % 2 === 1),
    all.filter((id) => id >= 36 && id % 2 === 1),
  ];
  const steps = [1, 4, 3];
  const shown: number[] = [];
  let from = new Map<string, number | null>();
  for (let page = 0; page < 200; page++) {
    const hosts = places.map((place, index) =>
      pageOf(place, logs[index] ?? [], from.get(place) ?? null, order, steps[index] ?? 1),
    );
    const { lines, next, stopped } = mergedPage(hosts, { order, limit });
    shown.push(...lines.map(({ id }) => id));
    from = new Map(next);
    if (stopped === 'end') break;
  }
  const whole = logs.flat().toSorted((one, other) => one - other);
  expect(shown).toEqual(order === 'oldest' ? whole : whole.reverse());
});

test('a host that has not begun with a service keeps the lines of others waiting', () => {
  const found = pageOf('svc_a@run_old', [5], null, 'newest', 9);
  const busy: HostPage = {
    answer: {
      lines: [],
      services: [{ serviceId: 'svc_a', from: null, last: 9 }],
      stopped: 'time',
      scannedBytes: 0,
    },
    placeOf: (logId) => logId,
  };
  const { lines, next, stopped } = mergedPage([found, busy], { order: 'newest', limit: 10 });
  expect([lines, stopped, [...next]]).toEqual([
    [],
    'time',
    [
      ['svc_a@run_old', 6],
      ['svc_a', null],
    ],
  ]);
});
