/** Has a host read a source before there is a service. */
import { gitHostOf, registryName } from '../../../protocol/credentials.ts';
import { requestPlace } from '../../../protocol/sealed-box.ts';
import {
  type PlannedSource,
  type PlanSecrets,
  type SourcePlan,
  type SourcePlanAnswer,
  sourcePlanAnswerSchema,
} from '../../../protocol/sources/source-plan.ts';
import { safeParseUntrusted } from '../../../protocol/untrusted/safe-parse.ts';
import { UndispatchableError } from '../../domain/deployments/deploy-spec.ts';
import { ApiError } from '../../domain/errors.ts';
import { placeService } from '../../domain/hosts/placement.ts';
import { registryHostOf } from '../../domain/sources/image-reference.ts';
import { sealBox } from '../../security/sealed-box.ts';
import { selectPlacementCandidates } from '../../store/hosts/placement-store.ts';
import { selectSealingKey } from '../../store/hosts/runner-store.ts';
import type { ProjectRow } from '../../store/projects/project-store.ts';
import { selectServiceNames } from '../../store/services/service-store.ts';
import { selectSealedLogins } from '../../store/sources/git-credential-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { openGitCredential } from './git-credentials.ts';
import type { GitHubNeeds } from './installation-token.ts';
import { openLogins } from './registries.ts';

type Needs = Pick<Dependencies, 'db' | 'hubs' | 'envelope' | 'newId' | 'fillRandom'> & GitHubNeeds;

/** A host answers after 50 s at the latest (runner/host/read-source). */
const answerTimeoutMs = 60_000;

export type ReadOutcome =
  | { plan: SourcePlan; problem: null }
  | { plan: null; problem: Omit<Extract<SourcePlanAnswer, { found: 'failure' }>, 'found'> };

/**
 * @param wanted.runnerId the host that reads; undefined: the one that a new service would get
 * @throws ApiError `no_runner`, `not_isolated`, `runner_offline`, `timeout`, `unavailable`, `conflict` if a stored login can't be used
 */
export async function readSource(
  deps: Needs,
  project: ProjectRow,
  source: PlannedSource,
  wanted: { gitToken: string | null; runnerId: string | undefined },
): Promise<ReadOutcome> {
  const host = await hostFor(deps, project, wanted.runnerId);
  const secrets = await secretsFor(deps, project.id, source, wanted.gitToken);
  const [key] = await selectSealingKey(deps.db, host.id);
  if (!key) throw new ApiError('no_runner', `The host "${host.name}" was removed.`);
  const place = requestPlace(host.id, 'read-source');
  const sealed = await sealBox(key.sealingKey, place, JSON.stringify(secrets));
  const answer = await deps.hubs.request(host.id, { op: 'read-source', source, sealed }, answerTimeoutMs);
  if (!answer.ok) throw new ApiError('unavailable', `The host could not read the source: ${answer.message}`);
  const { data } = safeParseUntrusted(sourcePlanAnswerSchema, answer.value);
  if (!data)
    throw new ApiError('unavailable', `The answer of ${host.name} was not understood: upgrade the host.`);
  if (data.found === 'plan') return { plan: data.plan, problem: null };
  if (data.reason === 'busy')
    throw new ApiError('unavailable', data.message, { retryAfterSeconds: retrySeconds });
  return { plan: null, problem: { reason: data.reason, message: wayOut(data, source, secrets) } };
}

/** Most sources are read in less. */
const retrySeconds = 3;

async function hostFor(deps: Needs, { id: projectId, tenantId }: ProjectRow, wanted: string | undefined) {
  const start = deps.newId('runner');
  const [names, hosts] = await deps.db.batch([
    selectServiceNames(deps.db, projectId),
    selectPlacementCandidates(deps.db, { tenantId, projectId, wanted, start }),
  ]);
  const projectHosts = names.map(({ runnerId }) => runnerId);
  const host = placeService(hosts, { tenantId, projectHosts, wanted });
  if (!host.connected)
    throw new ApiError(
      'no_runner',
      `The host "${host.name}" is not connected, so nothing can read the source: try again when it is back, or create the service without a plan.`,
    );
  if (!host.facts.sourcePlans)
    throw new ApiError(
      'unavailable',
      `The runner of ${host.name} is too old to read sources: upgrade the host (docs/operate/upgrades.md), or create the service without a plan.`,
    );
  return host;
}

/** @throws ApiError `conflict` */
async function secretsFor(
  deps: Needs,
  projectId: string,
  source: PlannedSource,
  gitToken: string | null,
): Promise<PlanSecrets> {
  if (source.type === 'folder') return { gitToken: null, registries: [] };
  const [logins] = await selectSealedLogins(deps.db, projectId);
  try {
    if (source.type === 'image') {
      const registry = registryName(registryHostOf(source.imageRef));
      const ofRegistry = (logins?.registries ?? []).filter(({ host }) => host === registry);
      return { gitToken: null, registries: await openLogins(deps, ofRegistry) };
    }
    const credentials = gitToken === null ? (logins?.gitCredentials ?? []) : [];
    const gitCredential = await openGitCredential(deps, credentials, source.url, false);
    return { gitToken, registries: [], ...(gitCredential ? { gitCredential } : {}) };
  } catch (error) {
    if (error instanceof UndispatchableError) throw new ApiError('conflict', error.message);
    throw error;
  }
}

/** The runner speaks of the fields of a service, and there is none yet. */
function wayOut(
  { reason, message }: { reason: string; message: string },
  source: PlannedSource,
  { gitToken, gitCredential }: PlanSecrets,
): string {
  if (reason !== 'login' || source.type !== 'git' || gitToken !== null || gitCredential) return message;
  const host = gitHostOf(source.url);
  const start = `${source.url} is private or does not exist.`;
  if (host === undefined)
    return `${start} Give the address that begins with https:// and a token for it ("gitToken"), or create the service and its deploy key (POST /api/services/:serviceId/deploy-key).`;
  const app = host === 'github.com' ? 'connect a GitHub App that may read it (POST /api/github-apps), ' : '';
  return `${start} If it is private, ${app}store a credential for ${host} (POST /api/git-credentials), or give an access token for it alone ("gitToken").`;
}
