/** Every kind of job that this runner can do. */
import type { DeployParts } from './deploy/attempt.ts';
import { createDeployJob } from './deploy.ts';
import type { JobRegistry } from './job.ts';

export function createJobs(parts: DeployParts): JobRegistry {
  return { deploy: createDeployJob(parts) };
}
