import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  freeAddress,
  freeSubnet,
  parseRange,
  type Range,
  routedRanges,
} from '../../../../runner/docker/networks/subnets.ts';

const range = (cidr: string): Range => {
  const parsed = parseRange(cidr);
  if (!parsed) throw new Error(cidr);
  return parsed;
};

describe('a free /24', () => {
  test('a free /24 is the first that overlaps nothing', () => {
    expect(freeSubnet(range('10.210.0.0/15'), [])).toBe('10.210.0.0/24');
    expect(freeSubnet(range('10.210.0.0/15'), [range('10.210.0.0/24'), range('10.210.1.128/25')])).toBe(
      '10.210.2.0/24',
    );
    expect(freeSubnet(range('10.210.0.0/15'), [range('10.210.0.0/16')])).toBe('10.211.0.0/24');
    expect(freeSubnet(range('10.210.0.0/15'), [range('10.0.0.0/8')])).toBeUndefined();
  });

  test('a free /24 overlaps no taken range, whatever is taken', () => {
    const taken = fc.array(fc.tuple(fc.nat(511), fc.integer({ min: 18, max: 28 })), { maxLength: 60 });
    fc.assert(
      fc.property(taken, (pairs) => {
        const used = pairs.map(([number, bits]) =>
          range(`10.${210 + (number >> 8)}.${number & 255}.0/${bits}`),
        );
        const found = freeSubnet(range('10.210.0.0/15'), used);
        if (!found) return;
        const { first, last } = range(found);
        expect(used.some((one) => one.first <= last && first <= one.last)).toBe(false);
      }),
    );
  });
});

describe('a free address', () => {
  const subnet = range('10.210.7.0/24');

  test('a free address is never the network, the gateway or the broadcast address', () => {
    const used: string[] = [];
    for (let address = freeAddress(subnet, used); address; address = freeAddress(subnet, used))
      used.push(address);
    expect(used).toHaveLength(253);
    expect(used[0]).toBe('10.210.7.2');
    expect(used.at(-1)).toBe('10.210.7.254');
  });

  test('a free address that was just given up is not the next to be handed out', () => {
    expect(freeAddress(subnet, ['10.210.7.2', '10.210.7.4'])).toBe('10.210.7.5');
    expect(freeAddress(subnet, ['10.210.7.254'])).toBe('10.210.7.2');
  });
});

test('the routes of the host are read as ranges, without the default route', () => {
  const table = [
    'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT',
    'eth0\t00000000\t0100A8C0\t0003\t0\t0\t0\t00000000\t0\t0\t0',
    'tun0\t0000D20A\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0',
  ].join('\n');
  expect(routedRanges(table)).toEqual([range('10.210.0.0/16')]);
});

test('a text that is no IPv4 range is not read as one', () => {
  expect(['fd00::/64', '10.0.0.0', 'x'].map(parseRange)).toEqual([undefined, undefined, undefined]);
});
