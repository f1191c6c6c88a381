import { z } from 'zod';

const descriptionMax = 2000;

export const projectDescriptionSchema = z
  .string()
  .max(descriptionMax, `is too long: at most ${descriptionMax} characters`)
  .refine((text) => !text.includes('\0'), "can't hold a NUL character")
  .refine((text) => text.isWellFormed(), 'must be valid Unicode, without half of a surrogate pair');

/** The status of a project, derived from its services. */
type ServiceStatus = 'idle' | 'queued' | 'building' | 'active' | 'failed' | 'crashed' | 'stopped';
type ProjectStatus = 'idle' | 'building' | 'active' | 'degraded';

/** `building` if a deployment is queued or running, `degraded` if a service failed or crashed, `idle` if none was ever deployed. */
export function projectStatus(services: readonly ServiceStatus[]): ProjectStatus {
  if (services.some((status) => status === 'queued' || status === 'building')) return 'building';
  if (services.some((status) => status === 'failed' || status === 'crashed')) return 'degraded';
  return services.includes('active') ? 'active' : 'idle';
}
