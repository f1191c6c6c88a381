import { expect, test } from 'vitest';
import { initiatorText } from '../../../cli/names/initiator.ts';

test.each([
  [null, '-'],
  [{ type: 'member', id: 'mem_1', name: 'Ada' }, 'Ada'],
  [{ type: 'key', id: 'key_1', name: 'ci' }, 'key ci'],
  [{ type: 'push', id: null, name: 'Ann Lee' }, 'push by Ann Lee'],
  [{ type: 'push', id: null, name: null }, 'push'],
  [{ type: 'schedule', id: 'sch_1', name: 'nightly' }, 'schedule nightly'],
  [{ type: 'operator', id: 'key_1', name: null }, 'operator'],
  [{ type: 'platform', id: null, name: null }, 'platform'],
] as const)('a table names who acted, %j, as %s', (initiator, text) => {
  expect(initiatorText(initiator)).toBe(text);
});
