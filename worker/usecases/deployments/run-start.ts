import type { DeploySecrets, RunSpec } from '../../../protocol/job-spec.ts';
import { UndispatchableError } from '../../domain/deployments/deploy-spec.ts';
import { settingsOf } from '../../domain/instance/settings.ts';
import { mountedFiles } from '../../domain/services/mounted-files.ts';
import { containerLimitsOf } from '../../domain/tenants/quotas.ts';
import { limitsOfTenant } from '../../domain/tenants/tenant-limits.ts';
import type { RunDispatchRows } from '../../store/commands/run-store.ts';
import { selectSettings } from '../../store/instance/settings-store.ts';
import { selectTenantDay } from '../../store/projects/tenant-day-store.ts';
import { selectServiceFiles } from '../../store/services/service-file-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { openFiles } from '../services/mounted-files.ts';
import { resolveServiceVariables } from '../services/resolve-variables.ts';
import { openSnapshot } from '../services/snapshot.ts';
import { specLimitsOf } from './deployment-snapshot.ts';

/**
 * What a command starts with: the image of the live version, and the variables, files and limits of now.
 * @throws UndispatchableError if nothing is live any more
 */
export async function runStartOf(
  deps: Dependencies,
  { run, live, service, project, quotas, storedLogBytes }: RunDispatchRows,
): Promise<{ spec: RunSpec } & Pick<DeploySecrets, 'env' | 'secretKeys' | 'files'>> {
  if (!live?.sealedSnapshot)
    throw new UndispatchableError(
      'The service has no live version any more: deploy it, then run the command.',
    );
  const { spec: frozen } = await openSnapshot(deps, project, live.id, live.sealedSnapshot);
  const [settingRows, [today], [fileRow]] = await deps.db.batch([
    selectSettings(deps.db),
    selectTenantDay(deps.db, project.tenantId, deps.now()),
    selectServiceFiles(deps.db, service.id),
  ]);
  const limits = limitsOfTenant({ id: project.tenantId, quotas }, settingsOf(settingRows));
  const { memoryLimitMb, cpuLimit } = containerLimitsOf(service, quotas, limits);
  const { env, secretKeys } = await resolveServiceVariables(deps, service, project);
  const spec: RunSpec = {
    kind: 'run',
    projectId: project.id,
    serviceId: service.id,
    runId: run.id,
    deploymentId: live.id,
    commitSha: live.commitSha,
    command: run.command,
    timeLimitSeconds: run.timeLimitSeconds,
    runtimeMode: frozen.runtimeMode,
    internalPort: service.internalPort,
    ...(service.containerSettings === null ? {} : { container: service.containerSettings }),
    memoryLimitMb,
    cpuLimit,
    limits: specLimitsOf(limits, today, { quota: quotas.logBytes, used: storedLogBytes }),
  };
  const files = mountedFiles(await openFiles(deps, project, fileRow));
  return { spec, env, secretKeys, ...(files.length > 0 ? { files } : {}) };
}
