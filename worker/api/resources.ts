/** One scoped loader per resource: its statement joins to the project and to the key's scope, so a handler never sees a raw id. */
import type { deployments } from '../store/schema/deployments.ts';
import type { jobs } from '../store/schema/jobs.ts';
import type { projects } from '../store/schema/projects.ts';
import type { services } from '../store/schema/services.ts';

export type ProjectRow = typeof projects.$inferSelect;
export type ServiceRow = typeof services.$inferSelect;
export type DeploymentRow = typeof deployments.$inferSelect;
export type JobRow = typeof jobs.$inferSelect;

export interface LoadedProject {
  project: ProjectRow;
}
export interface LoadedService extends LoadedProject {
  service: ServiceRow;
}
export interface LoadedDeployment extends LoadedService {
  deployment: DeploymentRow;
  job: JobRow;
}

/** Placeholder of the shape: filled in by the API part. */
export interface ResourceLoader<Resource> {
  /** `service`, `project`, ...: names the resource in a 404. */
  name: string;
  /** Only a type: what `load` yields. */
  readonly resource?: Resource;
}
