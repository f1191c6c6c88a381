/** For `npm run bench -- cost`. */
import { newestWithLogs } from '../../../worker/domain/logs/log-retention.ts';
import { copyRows } from './d1/copy-rows.ts';

/** Adds newer deployments of the same service, so that the log of this one may be removed. */
export async function pushOut(deploymentId: string): Promise<void> {
  const job = `'job_newer' || n || '${deploymentId}'`;
  const ofDeployment = `id = (select job_id from deployments where id = '${deploymentId}')`;
  await copyRows('jobs', ofDeployment, newestWithLogs, { id: job });
  const id = `'dep_newer' || n || '${deploymentId}'`;
  await copyRows('deployments', `id = '${deploymentId}'`, newestWithLogs, {
    ...{ id, job_id: job, created_at: 'created_at + n' },
  });
}
