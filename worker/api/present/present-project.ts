/** A project as the API shows it, with its services. */
import { z } from 'zod';
import { exampleTime, note } from '../../../protocol/note.ts';
import { projectStatus } from '../../domain/projects/project-fields.ts';
import { idOf, notes } from '../../domain/values/field-notes.ts';
import { timestamp, timestampSchema } from '../../http/timestamps.ts';
import type { ProjectRow } from '../../store/projects/project-store.ts';
import type { ListedView } from '../../usecases/projects/read-projects.ts';
import { presentService, serviceSchema } from './present-service.ts';

export const projectSchema = z.strictObject({
  id: idOf('project'),
  name: z.string().meta(notes.name),
  slug: z.string().meta(notes.slug),
  description: z.string().meta(notes.description),
  status: z.enum(['idle', 'building', 'active', 'degraded']).meta(notes.state),
  serviceCount: z.int().meta(note('How many services the project has.', 2)),
  lastUpdatedAt: timestampSchema.meta(
    note('When the project or one of its services last changed.', exampleTime),
  ),
  services: z.array(serviceSchema).meta(notes.services),
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
