/** A project as the API shows it, with its services. */
import { z } from 'zod';
import { projectStatus } from '../../domain/projects/project-status.ts';
import { timestamp, timestampSchema } from '../../http/timestamps.ts';
import type { ProjectRow } from '../../store/projects/project-store.ts';
import type { ListedView } from '../../usecases/projects/read-projects.ts';
import { presentService, serviceSchema } from './present-service.ts';

export const projectSchema = z.strictObject({
  id: z.string(),
  name: z.string(),
  slug: z.string(),
  description: z.string(),
  status: z.enum(['idle', 'building', 'active', 'degraded']),
  serviceCount: z.int(),
  lastUpdatedAt: timestampSchema,
  services: z.array(serviceSchema),
});

export function presentProject(
  project: ProjectRow,
  views: readonly ListedView[],
): z.infer<typeof projectSchema> {
  const moments = views.flatMap(({ service }) => [service.updatedAt, service.lastDeployedAt ?? 0]);
  return {
    id: project.id,
    name: project.name,
    slug: project.slug,
    description: project.description,
    status: projectStatus(views.map(({ service }) => service.status)),
    serviceCount: views.length,
    lastUpdatedAt: timestamp(moments.reduce((latest, moment) => Math.max(latest, moment), project.updatedAt)),
    services: views.map(presentService),
  };
}
