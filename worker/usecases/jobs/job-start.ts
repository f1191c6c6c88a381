/** Common parts of the start of all kinds of jobs. */
import type { DeploySecrets, JobSpec } from '../../../protocol/job-spec.ts';
import { UndispatchableError } from '../../domain/deployments/deploy-spec.ts';
import { refusalOf } from '../../domain/hosts/host-sharing.ts';
import type { HostSetting } from '../../gateways/object-calls.ts';
import type { DispatchRows } from '../../store/jobs/dispatch-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { openLogins } from '../sources/registries.ts';

/** Rows of an active job of any kind. */
export type StartRows = Pick<DispatchRows, 'job' | 'sealingKey' | 'host'> & {
  project: Pick<DispatchRows['project'], 'id' | 'tenantId'>;
};

/** The parts of a start that the host gets. */
export interface JobStart {
  spec: JobSpec;
  /** Secrets, which are sealed for the host. */
  secrets: DeploySecrets;
  /** Settings of the project that the host may not have yet. */
  settings?: HostSetting[];
}

/** The start of one kind of job. */
export interface Starter<Rows extends StartRows> {
  /** @returns undefined if the job is not active any more, or its service no longer exists */
  find(db: Dependencies['db'], jobId: string): Promise<Rows | undefined>;
  /** Reads current spec and secrets. @throws UndispatchableError with the sentence for the user */
  prepare(deps: Dependencies, rows: Rows): Promise<JobStart>;
  /** The message for the user if preparing fails for a reason without its own message, such as a lost key. */
  unprepared: string;
}

/**
 * Prevents a tenant's new code from starting on a host that does not isolate tenants: rows and facts may have changed since the service was placed.
 * @throws UndispatchableError
 */
export function assertKeptApart({ host, project }: Pick<StartRows, 'host' | 'project'>): void {
  const refusal = refusalOf(host, project.tenantId, host.isSharedWithOthers);
  if (refusal !== null) throw new UndispatchableError(refusal, 'not_isolated');
}

/** The logins at registries with which the host pulls images. @throws UndispatchableError */
export async function loginsFor(
  deps: Pick<Dependencies, 'envelope'>,
  { registries: sealed }: Pick<DispatchRows, 'registries'>,
): Promise<Pick<DeploySecrets, 'registries'>> {
  const registries = await openLogins(deps, sealed);
  return registries.length > 0 ? { registries } : {};
}
