/** The status of a project, derived from its services. */
export type ServiceStatus = 'idle' | 'queued' | 'building' | 'active' | 'failed' | 'crashed' | 'stopped';
export type ProjectStatus = 'idle' | 'building' | 'active' | 'degraded';

/** `building` if a deployment is queued or running, `degraded` if a service failed or crashed, `idle` if none was ever deployed. */
export function projectStatus(services: readonly ServiceStatus[]): ProjectStatus {
  if (services.some((status) => status === 'queued' || status === 'building')) return 'building';
  if (services.some((status) => status === 'failed' || status === 'crashed')) return 'degraded';
  return services.includes('active') ? 'active' : 'idle';
}
