/** Texts of the small charts of traffic. */

export const trafficText = {
  lastHour: 'Requests in the last hour, on average',
  perSecond: (number: string) => `${number}/s`,
  perMinute: (number: number) => `${number}/min`,
  failed: (percent: string) => `${percent} failed`,
} as const;
