/**
 * Explains why a deployment failed: by the platform's own rules, or by a language model that gets the rules' result and the end of the log.
 * If the model fails, the response is the rules' explanation, with the reason.
 */
import { type FailureCode, failureCodes, type JobPhase } from '../../../protocol/job-report.ts';
import { builtinProviderId, chooseProvider } from '../../domain/ai-providers.ts';
import { ApiError } from '../../domain/errors.ts';
import { failurePromptOf } from '../../domain/failure-prompt.ts';
import { explainFailure } from '../../domain/failure-rules/explain-failure.ts';
import { linesOfFailedPhase, warningsIn } from '../../domain/failure-rules/failed-phase.ts';
import type { Explanation, FailedService, Failure } from '../../domain/failure-rules/failure.ts';
import { secretMasker } from '../../domain/mask-secrets.ts';
import { projectServicesOf } from '../../domain/project-services.ts';
import { settingsOf } from '../../domain/settings.ts';
import { AiFailure } from '../../gateways/ai/language-models.ts';
import type { StoredLine } from '../../gateways/log-streams.ts';
import { gitTokenPlace } from '../../security/secret-places.ts';
import { selectAiProviders } from '../../store/ai-provider-store.ts';
import { selectSealedSnapshot } from '../../store/dispatch-store.ts';
import { selectProjectServices } from '../../store/project-service-store.ts';
import { selectSettings } from '../../store/settings-store.ts';
import { selectProjectVariables } from '../../store/variable-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { askForExplanation } from '../instance/ask-ai-provider.ts';
import { type OpenedVariables, openAndResolve, type SecretsOwner } from '../services/resolve-variables.ts';
import { openSnapshot } from '../services/snapshot.ts';

type Needs = Pick<Dependencies, 'db' | 'logs' | 'ai' | 'envelope'>;

/** Characters at the end of the log that rules search; more than any tool prints about an error. */
const tailChars = 64 * 1024;
const linesMax = 300;
const messageCharsMax = 4_000;

export interface FailedDeployment {
  deployment: { id: string; status: string };
  job: { failureCode: string | null; failureMessage: string | null; phase: JobPhase | null };
  service: FailedService & { sealedGitToken: string | null };
  project: SecretsOwner;
}

export interface ExplainedFailure {
  explanation: Explanation;
  /** What explained it; `fallbackReason`: why the requested provider was not used. */
  provider: { id: string; model: string | null; fallbackReason: string | null };
}

/**
 * Explains a failure, with one round trip to D1 and one to the log.
 * @param requested.providerId absent: the instance's default. `requested.model` absent: the provider's default
 * @param apiUrl origin of this API, for commands
 * @throws ApiError `conflict` for a deployment that has not failed, and for a disabled provider; `invalid_request` for an unknown provider,
 *   and for a model together with the builtin rules
 */
export async function explainDeployment(
  deps: Needs,
  failed: FailedDeployment,
  requested: { providerId?: string | undefined; model?: string | undefined },
  apiUrl: string,
): Promise<ExplainedFailure> {
  const { deployment, service, project } = failed;
  refuseUnlessFailed(deployment);
  const { db } = deps;
  const [tail, [providers, settingRows, serviceRows, variables, [snapshot]]] = await Promise.all([
    deps.logs.readTail(deployment.id, tailChars),
    db.batch([
      selectAiProviders(db),
      selectSettings(db),
      selectProjectServices(db, project.id),
      selectProjectVariables(db, project.id),
      selectSealedSnapshot(db, deployment.id),
    ]),
  ]);
  const settings = settingsOf(settingRows);
  const { provider, fallbackReason } = chooseProvider(requested.providerId, settings, providers);
  if (!provider && !fallbackReason) refuseModel(requested.model);
  const opened = await openAndResolve(
    deps,
    service.id,
    project,
    projectServicesOf(serviceRows, settings),
    variables,
  );
  const failureSeen = (masked: (text: string) => string) =>
    failureOf(failed, tail.slice(-linesMax), opened.warnings, apiUrl, masked);
  const byRules = (reason: string | null): ExplainedFailure => ({
    explanation: explainFailure(failureSeen((text) => text)).explanation,
    provider: { id: builtinProviderId, model: null, fallbackReason: reason },
  });
  if (provider === null) return byRules(fallbackReason);
  try {
    const masked = secretMasker(await secretsOf(deps, failed, opened, snapshot?.sealedSnapshot ?? null));
    const model = requested.model ?? provider.defaultModel;
    const question = failurePromptOf(failureSeen(masked), masked);
    const explanation = await askForExplanation(deps, { provider, model, settings }, question);
    return { explanation, provider: { id: provider.id, model, fallbackReason: null } };
  } catch (error) {
    if (error instanceof AiFailure) return byRules(error.message);
    throw error;
  }
}

function refuseUnlessFailed({ status }: { status: string }): void {
  if (status === 'failed') return;
  const reasons: Record<string, string> = {
    queued: 'is waiting for its host',
    building: 'is still in progress',
    running: 'succeeded and is live',
    superseded: 'succeeded and was replaced by a later one',
    aborted: 'was aborted',
  };
  throw new ApiError('conflict', `There is no failure to explain: the deployment ${reasons[status]}.`);
}

/** Refuses a model for the builtin rules instead of ignoring it. */
function refuseModel(model: string | undefined): void {
  if (model === undefined) return;
  throw new ApiError(
    'invalid_request',
    `The field "model" has no effect with the provider "${builtinProviderId}": leave it out, or set "providerId" to a connected AI provider.`,
  );
}

/** @param masked removes secrets from whole lines and sentences, before they are shortened */
function failureOf(
  { deployment, job, service }: FailedDeployment,
  tail: readonly StoredLine[],
  warningsNow: readonly string[],
  apiUrl: string,
  masked: (text: string) => string,
): Failure {
  return {
    code: failureCodes.find((one): one is FailureCode => one === job.failureCode) ?? null,
    message: masked(job.failureMessage ?? '').slice(0, messageCharsMax),
    phase: job.phase,
    lines: linesOfFailedPhase(tail, masked),
    warnings: [...new Set([...warningsIn(tail), ...warningsNow])].map(masked),
    service: facts(service),
    deploymentId: deployment.id,
    apiUrl,
  };
}

/** The only fields of a service that explanations and models may see. */
function facts(service: FailedService): FailedService {
  const { id, kind, repoUrl, branch, rootDir, imageRef, dockerfilePath, detectedBuildMethod, staticOutput } =
    service;
  const { runtimeMode, internalPort, healthCheckPath, memoryLimitMb } = service;
  const source = {
    kind,
    repoUrl,
    branch,
    rootDir,
    imageRef,
    dockerfilePath,
    detectedBuildMethod,
    staticOutput,
  };
  return { id, ...source, runtimeMode, internalPort, healthCheckPath, memoryLimitMb };
}

/**
 * All secrets that must not leave the platform: the variables as stored, as resolved and as this deployment had them, and the git token.
 * @throws AiFailure if one can't be decrypted, because an unknown secret can't be removed
 */
async function secretsOf(
  deps: Needs,
  { deployment, service, project }: FailedDeployment,
  opened: OpenedVariables,
  sealedSnapshot: string | null,
): Promise<string[]> {
  const { sealedGitToken } = service;
  const unknown = new AiFailure(
    "Stored secrets of the service can't be decrypted, so its log can't be sent safely.",
  );
  if (opened.unreadable.length > 0) throw unknown;
  const written = [...opened.written.values()].filter((value) => value !== null);
  try {
    const [snapshot, gitToken] = await Promise.all([
      sealedSnapshot && openSnapshot(deps, project, deployment.id, sealedSnapshot),
      sealedGitToken &&
        deps.envelope.open(project.wrappedDataKey, project.id, gitTokenPlace(service.id), sealedGitToken),
    ]);
    const frozen = snapshot ? Object.values(snapshot.env) : [];
    return [...written, ...opened.values.values(), ...frozen, ...(gitToken ? [gitToken] : [])];
  } catch {
    throw unknown;
  }
}
