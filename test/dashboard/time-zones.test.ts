import { expect, test } from 'vitest';
import { todaysZone, zonesToChoose } from '../../dashboard/ui/time-zones.ts';
import { timingSchema } from '../../worker/domain/commands/schedules.ts';

test('time zones are offered once, by the names of today, also where the browser lists old ones', () => {
  const zones = zonesToChoose(todaysZone('Asia/Calcutta'));
  expect(zones.slice(0, 2)).toEqual(['Asia/Kolkata', 'UTC']);
  expect(zones).toEqual(
    expect.arrayContaining(['Europe/Kyiv', 'Asia/Ho_Chi_Minh', 'America/Nuuk', 'Europe/Berlin']),
  );
  for (const old of ['Asia/Calcutta', 'Europe/Kiev', 'Asia/Saigon', 'America/Godthab'])
    expect(zones).not.toContain(old);
  expect(new Set(zones).size).toBe(zones.length);
});

test('a schedule takes time zones by the names of today', () => {
  const renamed = ['Asia/Kolkata', 'Europe/Kyiv', 'America/Nuuk', 'Pacific/Kanton', 'Asia/Yangon', 'UTC'];
  const refused = renamed.filter(
    (timeZone) => !timingSchema.safeParse({ cron: '0 3 * * *', timeZone }).success,
  );
  expect(refused).toEqual([]);
});
