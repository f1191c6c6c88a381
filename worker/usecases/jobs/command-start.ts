/** The start of a command: the live version, with the variables, files and limits at dispatch. */
import type { RunSpec } from '../../../protocol/job-spec.ts';
import { UndispatchableError } from '../../domain/deployments/deploy-spec.ts';
import { settingsOf } from '../../domain/instance/settings.ts';
import { mountedFiles } from '../../domain/services/mounted-files.ts';
import { settingsOfKind } from '../../domain/services/settings/service-settings.ts';
import { containerLimitsOf } from '../../domain/tenants/quotas.ts';
import { limitsOfTenant } from '../../domain/tenants/tenant-limits.ts';
import { findRunDispatch, type RunDispatchRows } from '../../store/commands/run-store.ts';
import { selectSettings } from '../../store/instance/settings-store.ts';
import { selectTenantDay } from '../../store/projects/tenant-day-store.ts';
import { selectServiceFiles } from '../../store/services/service-file-store.ts';
import { specLimitsOf } from '../deployments/deployment-snapshot.ts';
import { openFiles } from '../services/mounted-files.ts';
import { resolveServiceVariables } from '../services/resolve-variables.ts';
import { kindOfVersion, openSnapshot } from '../services/snapshot.ts';
import { assertKeptApart, type Starter } from './job-start.ts';

export const commandStarter: Starter<RunDispatchRows> = {
  find: findRunDispatch,
  unprepared:
    "The command could not be prepared because the service's variables or files can't be decrypted: set them again.",
  async prepare(deps, rows) {
    assertKeptApart(rows);
    const { run, live, service, project, quotas, storedLogBytes } = rows;
    if (!live?.sealedSnapshot)
      throw new UndispatchableError(
        'The service has no live version any more: deploy it, then run the command.',
      );
    if (run.container === 'live' && !rows.host.facts.liveCommands)
      throw new UndispatchableError(noLiveCommands, 'start_failed');
    const snapshot = await openSnapshot(deps, project, live.id, live.sealedSnapshot);
    const frozen = snapshot.spec;
    const kind = kindOfVersion(snapshot, service);
    const container = settingsOfKind({ ...service, kind }, 'containerSettings');
    const [settingRows, [today], [fileRow]] = await deps.db.batch([
      selectSettings(deps.db),
      selectTenantDay(deps.db, project.tenantId, deps.now()),
      selectServiceFiles(deps.db, service.id),
    ]);
    const limits = limitsOfTenant({ id: project.tenantId, quotas }, settingsOf(settingRows));
    const { memoryLimitMb, cpuLimit } = containerLimitsOf(service, quotas, limits);
    const { variables, secretKeys } = await resolveServiceVariables(deps, service, project);
    const spec: RunSpec = {
      kind: 'run',
      projectId: project.id,
      serviceId: service.id,
      runId: run.id,
      deploymentId: live.id,
      commitSha: live.commitSha,
      command: run.command,
      timeLimitSeconds: run.timeLimitSeconds,
      runsIn: run.container,
      runtimeMode: frozen.runtimeMode,
      internalPort: service.internalPort,
      ...(container === null ? {} : { container }),
      memoryLimitMb,
      cpuLimit,
      limits: specLimitsOf(limits, today, { quota: quotas.logBytes, used: storedLogBytes }),
    };
    const files = mountedFiles(await openFiles(deps, project, fileRow));
    return {
      spec,
      secrets: { env: variables.env, secretKeys, gitToken: null, ...(files.length > 0 ? { files } : {}) },
    };
  },
};

const noLiveCommands =
  'The runner of the host can\'t run commands in running containers yet: upgrade the host (docs/operate/upgrades.md), or set "container" to "new".';
