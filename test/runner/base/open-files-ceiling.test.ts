import { expect, test } from 'vitest';
import { ceilingOf } from '../../../runner/base/open-files-ceiling.ts';

const limits = `Limit                     Soft Limit           Hard Limit           Units
Max processes             96434                96434                processes
Max open files            1024                 20000                files
`;
const unlimited = limits.replace('20000    ', 'unlimited');
const status = (capabilities: string) => `Name:\tdockerd\nCapEff:\t${capabilities}\nSeccomp:\t0\n`;

test.each([
  ['without CAP_SYS_RESOURCE has its own hard limit as the ceiling', limits, '00000000a80425fb', 20_000],
  ['with CAP_SYS_RESOURCE sets any limit', limits, '000001ffffffffff', Number.POSITIVE_INFINITY],
  ['without a hard limit sets any limit', unlimited, '00000000a80425fb', Number.POSITIVE_INFINITY],
])('a daemon %s', (_, text, capabilities, ceiling) => {
  expect(ceilingOf(text, status(capabilities))).toBe(ceiling);
});
