/** What two reports of a host in a row say about a service that sleeps. */
import { expect, test } from 'vitest';
import type { SleepHistory } from '../../../../protocol/observed/observed-service.ts';
import { sleepChanges } from '../../../../worker/domain/services/sleep-changes.ts';

const nine = Date.UTC(2026, 10, 21, 9);
const ten = Date.UTC(2026, 10, 21, 10);
const asleep = (asleepSince: number, lastWokeAt: number | null = null): SleepHistory => ({
  ...{ asleepSince, lastWokeAt, lastWakeMs: lastWokeAt === null ? null : 850 },
});
const awake = (lastWokeAt: number | null): SleepHistory => ({ ...asleep(0, lastWokeAt), asleepSince: null });

const slept = ['service.slept', 'idle', 'Since 2026-11-21 09:00:00 UTC: nobody had asked for it.'];
const woke = [
  'service.woke',
  'request',
  'At 2026-11-21 10:00:00 UTC: a request woke it, and waited for 850 ms.',
];

test.each<[string, SleepHistory | null, SleepHistory | null, string[][]]>([
  ['has not slept', null, null, []],
  ['falls asleep', null, asleep(nine), [slept]],
  ['still sleeps', asleep(nine), asleep(nine), []],
  ['wakes', asleep(nine), awake(ten), [woke]],
  ['has slept and woken since', null, awake(ten), [woke]],
  ['has woken and sleeps again', asleep(1), asleep(nine, ten), [slept, woke]],
  [
    'is asked for while it falls asleep',
    asleep(nine),
    awake(null),
    [['service.woke', 'request', 'A request came while it fell asleep.']],
  ],
  [
    'is replaced while it sleeps',
    asleep(nine),
    null,
    [['service.woke', 'deployment', 'A new version took its place.']],
  ],
  ['is replaced after it woke', awake(ten), null, []],
])('a service that %s', (_what, from, to, expected) => {
  expect(sleepChanges(from, to).map(({ type, trigger, sentence }) => [type, trigger, sentence])).toEqual(
    expected,
  );
});

test('a service that woke and sleeps again between two reports is told in this order', () => {
  const types = sleepChanges(asleep(1), asleep(ten + 1, ten)).map(({ type }) => type);
  expect(types).toEqual(['service.woke', 'service.slept']);
});
