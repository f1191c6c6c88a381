/** When alerts begin and end on the host, by measurements of a clock that the test moves. */
import { expect, test } from 'vitest';
import { type FiringAlert, firingAlertsSchema, firingMax } from '../../../protocol/metrics/alerts.ts';
import type { OwnRule } from '../../../protocol/metrics/own-rules.ts';
import { AlertWatch } from '../../../runner/metrics/alert-watch.ts';
import type { MeasuredContainer } from '../../../runner/metrics/container-usage.ts';

const start = 1_790_000_000_000;
const minute = 6;

function stage(rules: OwnRule[] = [], firing: FiringAlert[] = []) {
  let at = start;
  const watch = new AlertWatch(at, firing);
  watch.setRules(rules);
  const measure = ({
    memory = 10,
    restarts = 0,
    disk = 10,
    has = true,
    cpu = null as number | null,
    requests = 0,
    errors = 0,
  } = {}) => {
    at += 10_000;
    const usage = { memory, memoryLimit: 100 };
    const container: MeasuredContainer = {
      id: 'c',
      serviceId: 'svc',
      projectId: 'p',
      startedAt: 1,
      usage,
      exits: [],
    };
    const samples = new Map([
      ['host', { values: {} }],
      ...(has ? [['svc', { values: { restarts, cpu, requests, errors } }] as const] : []),
    ]);
    const host = { diskUsed: disk, diskLimit: 100, memory: 1, memoryLimit: 100 };
    return watch
      .take({ at, samples, containers: has ? [container] : [], host })
      ?.map(({ rule, serviceId }) => `${rule} ${serviceId}`)
      .sort();
  };
  /** @returns what holds after so many measurements */
  const repeat = (count: number, of: Parameters<typeof measure>[0] = {}) => {
    let firing = measure(of);
    for (let n = 1; n < count; n++) firing = measure(of);
    return firing;
  };
  const wait = (ms: number) => {
    at += ms;
  };
  return { measure, repeat, wait, watch };
}

test('nothing is told in the first ten minutes, so that a restart of the runner ends no alert', () => {
  const { repeat } = stage();
  expect(repeat(10 * minute - 1, { memory: 95 })).toBeUndefined();
  expect(repeat(1, { memory: 95 })).toEqual(['memory svc']);
});

test('memory must stay above 90 % for five minutes, and a single lower value starts anew', () => {
  const { repeat } = stage();
  repeat(10 * minute);
  expect(repeat(5 * minute, { memory: 91 })).toEqual([]);
  expect(repeat(1)).toEqual([]);
  expect(repeat(5 * minute, { memory: 91 })).toEqual([]);
  expect(repeat(1, { memory: 91 })).toEqual(['memory svc']);
});

test('a value that swings around the threshold is one alert, which ends ten minutes after it was last above', () => {
  const { repeat, measure } = stage();
  repeat(10 * minute);
  repeat(5 * minute + 1, { memory: 99 });
  const seen = new Set<string>();
  for (let n = 0; n < 60; n++) {
    repeat(3);
    seen.add(String(measure({ memory: 99 })));
  }
  expect([...seen]).toEqual(['memory svc']);
  expect(repeat(10 * minute - 1)).toEqual(['memory svc']);
  expect(repeat(1)).toEqual([]);
});

test('three ends of a container within ten minutes are a crash loop, two are not', () => {
  const { repeat } = stage();
  repeat(10 * minute);
  repeat(1, { restarts: 1 });
  repeat(5 * minute);
  expect(repeat(1, { restarts: 1 })).toEqual([]);
  repeat(5 * minute);
  expect(repeat(1, { restarts: 1 })).toEqual([]);
  expect(repeat(1, { restarts: 1 })).toEqual(['restarts svc']);
});

test('a gap in the measurements does not count as time above the threshold, and the end of a service ends its alerts', () => {
  const { repeat, wait } = stage();
  repeat(10 * minute);
  repeat(2, { memory: 99 });
  wait(6 * 60_000);
  expect(repeat(1, { memory: 99 })).toEqual([]);
  expect(repeat(5 * minute, { memory: 99 })).toEqual(['memory svc']);
  expect(repeat(10 * minute, { has: false })).toEqual([]);
});

test('a project with more alerts than a host reports leaves places to other projects and the host', () => {
  const watch = new AlertWatch(start);
  const service = (serviceId: string, projectId: string): MeasuredContainer => ({
    ...{ id: serviceId, serviceId, projectId, startedAt: 1, usage: {}, exits: [] },
  });
  const containers = [
    ...Array.from({ length: firingMax }, (_, n) => service(`loud${n}`, 'loud')),
    service('quiet', 'quiet'),
  ];
  const host = { diskUsed: 95, diskLimit: 100, memory: 1, memoryLimit: 100 };
  const crashed = new Map(
    containers.map(({ serviceId }) => [serviceId, { values: { restarts: 3, outOfMemory: 1 } }]),
  );
  let firing: FiringAlert[] | undefined;
  for (let at = start; at <= start + 600_000; at += 10_000)
    firing = watch.take({ at, samples: at === start + 600_000 ? crashed : new Map(), containers, host });
  expect(firingAlertsSchema.safeParse(firing).success).toBe(true);
  const names = firing?.map(({ rule, serviceId }) => `${rule} ${serviceId}`);
  expect(names).toEqual(
    expect.arrayContaining(['hostDisk null', 'restarts quiet', 'outOfMemory quiet', 'restarts loud0']),
  );
});

test('a full disk is an alert of the host', () => {
  const { repeat } = stage();
  repeat(10 * minute);
  expect(repeat(5 * minute + 1, { disk: 91 })).toEqual(['hostDisk null']);
});

const rule = (changes: Partial<OwnRule> = {}): OwnRule => ({
  ...{ id: 'alr_1', name: 'Busy', metric: 'cpu', comparison: 'above', threshold: 0.5, forSeconds: 120 },
  services: ['svc'],
  ...changes,
});

test('a rule of somebody holds for its own time, above or below its threshold; a value that is not known breaks it', () => {
  const { repeat, measure } = stage([
    rule(),
    rule({ id: 'alr_2', metric: 'requests', comparison: 'below', threshold: 1, forSeconds: 60 }),
    rule({ id: 'alr_3', metric: 'errorPercent', threshold: 10, forSeconds: 10 }),
    rule({ id: 'alr_4', metric: 'diskPercent', threshold: 50, forSeconds: 10, services: null }),
  ]);
  repeat(10 * minute, { requests: 5 });
  repeat(12, { cpu: 0.6, requests: 5 });
  expect(measure({ cpu: null, requests: 5 })).toEqual([]);
  repeat(7, { cpu: 0.6, requests: 5 });
  expect(repeat(12, { cpu: 0.6, requests: 5 })).toEqual(['alr_1 svc']);
  expect(repeat(7, { cpu: 0.6, requests: 0.5, errors: 0 })).toEqual(['alr_1 svc', 'alr_2 svc']);
  expect(repeat(2, { requests: 5, errors: 1, disk: 60 })).toEqual([
    ...['alr_1 svc', 'alr_2 svc', 'alr_3 svc', 'alr_4 null'],
  ]);
});

test('a count of a rule is more than its threshold within its time', () => {
  const { repeat } = stage([rule({ metric: 'restarts', threshold: 1, forSeconds: 1_800 })]);
  repeat(10 * minute);
  repeat(1, { restarts: 1 });
  expect(repeat(20 * minute)).toEqual([]);
  expect(repeat(1, { restarts: 1 })).toEqual(['alr_1 svc']);
});

test('an alert that held before a restart of the runner goes on, and ends if its rule or its condition is gone', () => {
  const before: FiringAlert[] = [
    { rule: 'alr_000000000000aaaa', serviceId: 'svc', detail: 'Busy' },
    { rule: 'alr_000000000000bbbb', serviceId: 'svc', detail: 'Busy' },
  ];
  const long = rule({ id: 'alr_000000000000aaaa', forSeconds: 3_600 });
  const { repeat, watch } = stage([long, rule({ id: 'alr_000000000000cccc' })], before);
  expect(repeat(10 * minute, { cpu: 0.9 })).toEqual(['alr_000000000000aaaa svc', 'alr_000000000000cccc svc']);
  expect(repeat(10 * minute, { cpu: 0.1 })).toEqual([]);
  repeat(12 * minute, { cpu: 0.9 });
  watch.setRules([long]);
  expect(repeat(1, { cpu: 0.9 })).toEqual([]);
});

const details = (rule: OwnRule, usage: MeasuredContainer['usage'], cpu = 3) => {
  const watch = new AlertWatch(start);
  watch.setRules([rule]);
  const container = { id: 'c', serviceId: 'svc', projectId: 'p', startedAt: 1, usage, exits: [] };
  const host = { cpuLimit: 4, memory: 1, memoryLimit: 1_000 };
  const samples = new Map([
    ['host', { values: {} }],
    ['svc', { values: { cpu } }],
  ]);
  let firing: FiringAlert[] | undefined;
  for (let at = start; at <= start + 700_000; at += 10_000)
    firing = watch.take({ at, samples, containers: [container], host });
  return firing?.filter(({ rule: id }) => id === rule.id).map(({ detail }) => detail);
};

test.each(['cpuPercent', 'memoryPercent'] as const)(
  'a rule about %s of a service without a limit watches the share of the host, and says so',
  (metric) => {
    const rule: OwnRule = {
      ...{ id: 'alr_0123456789abcdef', name: 'Busy', metric, comparison: 'above', threshold: 70 },
      ...{ forSeconds: 60, services: ['svc'] },
    };
    const words = metric === 'cpuPercent' ? 'CPU' : 'memory';
    expect(details(rule, { memory: 750 })).toEqual([
      `Busy: ${words} 75 % of the host (above 70 % for 1 minute).`,
    ]);
    expect(details(rule, { memory: 75, memoryLimit: 100, cpuLimit: 4 })).toEqual([
      `Busy: ${words} 75 % (above 70 % for 1 minute).`,
    ]);
    expect(details(rule, { memory: 600 }, 2)).toEqual([]);
  },
);
