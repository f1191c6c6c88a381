/** Texts of the metrics of a project. */

export const projectMetricsText = {
  charts: { requests: 'Requests', errors: 'Failed requests (5xx)', cpu: 'CPU', memory: 'Memory' },
  others: (number: number) => `${number} others`,
  none: 'Nothing was measured in this time',
  noneHelp:
    'Hosts measure services every 10 seconds while they run. Choose a longer time, or deploy a service.',
  missing: (host: string, services: number, reason: string) =>
    `${host} gave no values of its ${services === 1 ? 'service' : `${services} services`}: ${reason}`,
} as const;
