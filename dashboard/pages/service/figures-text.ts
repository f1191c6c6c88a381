/** Texts of the figures of a service. */

export const figuresText = {
  label: (figures: readonly string[]) => `Metrics of the last hour: ${figures.join(', ')}`,
  requests: 'Requests',
  errors: 'Error rate',
  latency: 'Latency p99',
  memory: 'Memory',
  cpu: 'CPU',
  hour: 'in the last hour',
  of: (limit: string) => `of ${limit}`,
  ofLimit: 'of its limit',
  nothing: 'No measurements in the last hour.',
  fewCores: '<0.01 cores',
} as const;
