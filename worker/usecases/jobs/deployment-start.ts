/** The start of a deployment. Spec and variables are read at dispatch, not when the job was queued (deployment-snapshot). */
import type { DeploySecrets, DeploySpec } from '../../../protocol/job-spec.ts';
import { buildEnvOf } from '../../../protocol/variable-scope.ts';
import { assertRailpackAllowed } from '../../domain/deployments/railpack-rule.ts';
import type { HostSetting } from '../../gateways/object-calls.ts';
import { gitTokenPlace } from '../../security/secret-places.ts';
import { type DispatchRows, findDispatch } from '../../store/jobs/dispatch-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { snapshotOf } from '../deployments/deployment-snapshot.ts';
import { openGitCredential } from '../sources/git-credentials.ts';
import { transferTokenOf } from '../transfer-token.ts';
import { partOfMove } from './begin-transfer.ts';
import { assertKeptApart, loginsFor, type Starter } from './job-start.ts';
import { withOwnCertificates } from './own-certificates-of-spec.ts';

export const deploymentStarter: Starter<DispatchRows> = {
  find: findDispatch,
  unprepared:
    "The deployment could not be prepared because the service's variables or its git token can't be decrypted: set them again.",
  async prepare(deps, rows) {
    // A rollback starts a version that ran on this host before.
    const isNew = rows.deployment.sourceDeploymentId === null;
    if (isNew) assertKeptApart(rows);
    const { spec: whole, ...variables } = await snapshotOf(deps, rows);
    const buildEnv = buildEnvOf(variables);
    assertRailpackAllowed(rows, buildEnv);
    const spec = await withOwnCertificates(deps, rows, await partOfMove(deps, rows, whole));
    const secrets = {
      ...variables,
      gitToken: await openGitToken(deps, rows),
      ...(spec.source.type === 'upload' ? { transferToken: await transferTokenOf(deps, rows.job) } : {}),
      ...(await gitCredentialFor(deps, rows, spec, buildEnv)),
      // Not in the snapshot, so that it contains no removed login. A rollback pulls nothing, so a lost login must not prevent it.
      ...(isNew ? await loginsFor(deps, rows) : {}),
    };
    const settings: HostSetting[] = [];
    if (rows.hasAlertRules) settings.push('alert-rules');
    if (rows.hasLogDrains) settings.push('log-drains');
    return { spec, secrets, settings };
  },
};

/** A service's own token or key is used instead. @throws UndispatchableError */
async function gitCredentialFor(
  deps: Dependencies,
  { service, gitCredentials }: DispatchRows,
  { source }: DeploySpec,
  env: DeploySecrets['env'],
): Promise<Pick<DeploySecrets, 'gitCredential'>> {
  if (source.type !== 'git' || service.sealedGitToken !== null) return {};
  const readsSubmodules = env.GIT_SUBMODULES !== undefined;
  const gitCredential = await openGitCredential(deps, gitCredentials, source.url, readsSubmodules);
  return gitCredential ? { gitCredential } : {};
}

/** Not part of the snapshot, so that old deployments do not contain replaced or removed tokens. */
async function openGitToken(deps: Dependencies, { service, project }: DispatchRows): Promise<string | null> {
  if (service.sealedGitToken === null) return null;
  const place = gitTokenPlace(service.id);
  return deps.envelope.open(project.wrappedDataKey, project.id, place, service.sealedGitToken);
}
