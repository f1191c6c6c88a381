/** Says the times of a cron expression in English, for people who don't read them every day. */
import { toString as describe } from 'cronstrue';

/**
 * @param cron an expression that `schedules.ts` accepts
 * @returns such as `At 03:00, Monday through Friday`; null if there are no words for it
 */
export function cronInWords(cron: string): string | null {
  try {
    // If both days are set, either is enough: the library writes "and" before the second one.
    return describe(cron, { use24HourTimeFormat: true }).replace(', and on ', ', or on ');
  } catch {
    // Rare forms that only croner reads.
    return null;
  }
}
