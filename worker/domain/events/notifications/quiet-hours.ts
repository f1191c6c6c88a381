import { spanAt } from '../../schedules/daily-span.ts';
import type { QuietHours } from './channel-fields.ts';

/**
 * When the quiet hours end in which `now` lies. On the night in which clocks change the end can be an hour off; a moment that is still quiet
 * then is looked at again.
 * @param now epoch milliseconds
 * @returns epoch milliseconds, a whole minute; undefined: it is not quiet
 */
export const endOfQuiet = (hours: QuietHours, now: number): number | undefined => spanAt(hours, now)?.endsAt;
