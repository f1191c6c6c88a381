/** Durations as people type them: `90s`, `10m`, `2h`, `7d`. */

const secondsIn: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400 };
/** Above this limit, times can no longer be computed; no one waits ten years. */
const daysMax = 3_650;

/** The duration in seconds; a number without a unit is in seconds already. @throws Error that the framework reports as a usage error */
export function secondsOf(input: string): number {
  const [, count, unit = 's'] = /^(\d{1,9})([smhd])?$/.exec(input) ?? [];
  if (count === undefined) throw new Error(`"${input}" is not a duration. Examples: 30s, 10m, 2h, 1d`);
  const seconds = Number(count) * (secondsIn[unit] ?? 0);
  if (seconds > daysMax * 86_400) throw new Error(`"${input}" is too long: ${daysMax}d at most`);
  return seconds;
}

/** A flag with a duration. */
export const durationFlag = (brief: string) =>
  ({
    kind: 'parsed',
    parse: secondsOf,
    brief: `${brief}: 30s, 10m, 2h`,
    optional: true,
    placeholder: 'duration',
  }) as const;
