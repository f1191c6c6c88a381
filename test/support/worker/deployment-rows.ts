/** A service with a host, its deployments in any state, and hubs that record their calls. */
import { eq } from 'drizzle-orm';
import { newId } from '../../../protocol/ids.ts';
import { platform } from '../../../worker/domain/access/initiator.ts';
import type { RunnerHubs } from '../../../worker/gateways/runner-hubs.ts';
import { findDeployment, insertDeployment } from '../../../worker/store/deployments/deployment-store.ts';
import { deployments } from '../../../worker/store/schema/deployments.ts';
import { jobs } from '../../../worker/store/schema/jobs.ts';
import { deps, insertProject, insertRunner, insertService } from './api.ts';

/** Hubs of hosts that do not exist: they record each call. */
export class NotingHubs implements RunnerHubs {
  readonly calls: string[] = [];
  async wake(runnerId: string) {
    this.calls.push(`wake ${runnerId}`);
  }
  async abortJob(runnerId: string, jobId: string) {
    this.calls.push(`abort ${runnerId} ${jobId}`);
  }
  async watchLog(runnerId: string, jobId: string) {
    this.calls.push(`watch ${runnerId} ${jobId}`);
  }
  async runTask() {
    return { ok: false, detail: 'offline' };
  }
  async jobEnds() {
    return false;
  }
  async isConnected() {
    return false;
  }
  async sendSetting(runnerId: string, setting: string) {
    this.calls.push(`${setting} ${runnerId}`);
  }
  async revoke() {}
  async request(): Promise<never> {
    throw new Error('offline');
  }
  async connect(): Promise<never> {
    throw new Error('offline');
  }
}

export async function insertHostedService() {
  const project = await insertProject();
  const runner = await insertRunner();
  const service = await insertService({ projectId: project.id, runnerId: runner.id });
  return { project, runner, service };
}

type Changes = {
  job?: Partial<typeof jobs.$inferInsert>;
  deployment?: Partial<typeof deployments.$inferInsert>;
};

/** A queued deployment, with `changes` applied to its rows. */
export async function insertDeploymentOf(serviceId: string, { job = {}, deployment = {} }: Changes = {}) {
  const id = newId('deployment', deps.fillRandom);
  const jobId = newId('job', deps.fillRandom);
  const createdAt = deps.now();
  await insertDeployment(deps.db, {
    id,
    jobId,
    serviceId,
    trigger: 'manual',
    sourceDeploymentId: null,
    startedBy: platform,
    createdAt,
  });
  if (Object.keys(job).length > 0) await deps.db.update(jobs).set(job).where(eq(jobs.id, jobId));
  if (Object.keys(deployment).length > 0) {
    await deps.db.update(deployments).set(deployment).where(eq(deployments.id, id));
  }
  return rowsOf(id);
}

export async function rowsOf(deploymentId: string) {
  const rows = await findDeployment(deps.db, deploymentId);
  if (!rows) throw new Error('no such deployment');
  return rows;
}
