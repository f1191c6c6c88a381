/** A connected host with services, and its rows, for tests of jobs. */
import { eq } from 'drizzle-orm';
import { deployments } from '../../../worker/store/schema/deployments.ts';
import { jobs } from '../../../worker/store/schema/jobs.ts';
import { runners } from '../../../worker/store/schema/runners.ts';
import { services } from '../../../worker/store/schema/services.ts';
import { queueDeployment } from '../../../worker/usecases/deployments/queue-deployment.ts';
import { deps, insertProject, insertService } from './api.ts';
import { type EnrolledRunner, enrolRunner } from './fake-runner.ts';

export interface TestHost {
  keys: EnrolledRunner;
  runnerId: string;
  project: Awaited<ReturnType<typeof insertProject>>;
  /** A service on this host. */
  addService(fields?: Partial<typeof services.$inferInsert>): Promise<typeof services.$inferSelect>;
}

/** An enrolled host that is not connected yet, and a project. @param options of its token, such as `shared` */
export async function newHost(options = {}): Promise<TestHost> {
  const keys = await enrolRunner('host', options);
  const project = await insertProject();
  const { runnerId } = keys;
  return {
    keys,
    runnerId,
    project,
    addService: (fields = {}) => insertService({ projectId: project.id, runnerId, ...fields }),
  };
}

/** Queues a deployment, as the API does. */
export const deploy = (service: { id: string; runnerId: string }) => queueDeployment(deps, service, 'manual');

export async function jobRow(jobId: string) {
  const [row] = await deps.db.select().from(jobs).where(eq(jobs.id, jobId));
  if (!row) throw new Error(`no job ${jobId}`);
  return row;
}

export async function deploymentRow(deploymentId: string) {
  const [row] = await deps.db.select().from(deployments).where(eq(deployments.id, deploymentId));
  if (!row) throw new Error(`no deployment ${deploymentId}`);
  return row;
}

export async function serviceRow(serviceId: string) {
  const [row] = await deps.db.select().from(services).where(eq(services.id, serviceId));
  if (!row) throw new Error(`no service ${serviceId}`);
  return row;
}

export async function runnerRow(runnerId: string) {
  const [row] = await deps.db.select().from(runners).where(eq(runners.id, runnerId));
  if (!row) throw new Error(`no runner ${runnerId}`);
  return row;
}
