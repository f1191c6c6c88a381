import { eq } from 'drizzle-orm';
import { projects } from '../schema/projects.ts';
import type { Database } from '../sql/database.ts';
import { credentialsOfProject } from './git-credential-store.ts';
import { loginsOfTenant } from './registry-store.ts';

/** The logins that deployments of a project may use, at registries and git hosts: one row. */
export const selectSealedLogins = (db: Database, projectId: string) =>
  db
    .select({
      registries: loginsOfTenant.as('registries'),
      gitCredentials: credentialsOfProject.as('git_credentials'),
    })
    .from(projects)
    .where(eq(projects.id, projectId));
