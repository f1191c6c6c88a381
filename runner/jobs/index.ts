/** Every kind of job that this runner can do. What only jobs need is loaded with the first: a runner mostly waits. */
import type { DeploySpec } from '../../protocol/job-spec.ts';
import type { DeployParts } from './deploy/attempt.ts';
import type { Job, JobRegistry } from './job.ts';

export function createJobs(parts: DeployParts): JobRegistry {
  const jobOf = async ({ source }: DeploySpec): Promise<Job<DeploySpec>> => {
    if (source.type === 'database') {
      const { createDatabaseJob } = await import('./deploy/database.ts');
      return createDatabaseJob(parts);
    }
    const { createDeployJob } = await import('./deploy.ts');
    return createDeployJob(parts);
  };
  return {
    deploy: {
      run: async (spec, ...rest) => (await jobOf(spec)).run(spec, ...rest),
      recover: async (spec, ...rest) => (await jobOf(spec)).recover(spec, ...rest),
    },
  };
}
