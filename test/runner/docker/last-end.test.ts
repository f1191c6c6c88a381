import { expect, test } from 'vitest';
import { endIn } from '../../../runner/docker/events.ts';

const event = (Action: string, exitCode?: string, seconds = 1) => ({
  Action,
  timeNano: seconds * 1e9,
  Actor: { ID: 'one', Attributes: { name: 'app', ...(exitCode === undefined ? {} : { exitCode }) } },
});
const [start, oom, killed, failed] = [event('start'), event('oom'), event('die', '137'), event('die', '1')];

test.each([
  ['nothing is known', [], null],
  ['memory ran out before the end', [start, oom, killed], { exitCode: 137, outOfMemory: true }],
  ['Docker told of the memory after the end', [start, killed, oom], { exitCode: 137, outOfMemory: true }],
  ['Docker has restarted it since', [start, killed, oom, start], { exitCode: 137, outOfMemory: true }],
  [
    'only an earlier run lacked memory',
    [start, oom, killed, start, failed],
    { exitCode: 1, outOfMemory: false },
  ],
  [
    'a worker lacked memory long before',
    [start, oom, event('die', '1', 60)],
    { exitCode: 1, outOfMemory: false },
  ],
  ['the end has no code', [start, event('die')], { exitCode: null, outOfMemory: false }],
  ['an event can not be read', [start, 'damaged', killed], { exitCode: 137, outOfMemory: false }],
])('the last end of a container is known when %s', (_, events, end) => {
  expect(endIn(events)).toEqual(end);
});
