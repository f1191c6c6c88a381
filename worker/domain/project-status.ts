/** A project has no status of its own: it follows from its services. */
export type ServiceStatus = 'idle' | 'queued' | 'building' | 'active' | 'failed' | 'crashed';
export type ProjectStatus = 'idle' | 'building' | 'active' | 'degraded';

/** Nothing was ever deployed: idle; something is on its way: building; something is broken: degraded; else active. */
export function projectStatus(services: readonly ServiceStatus[]): ProjectStatus {
  if (services.some((status) => status === 'queued' || status === 'building')) return 'building';
  if (services.some((status) => status === 'failed' || status === 'crashed')) return 'degraded';
  return services.includes('active') ? 'active' : 'idle';
}
