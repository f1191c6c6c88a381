/**
 * Explains a failed deployment, a crash or a failed command: by the platform's own rules, or by a language model that gets the rules'
 * result and the end of the log. If the model fails, the response is the rules' explanation, with the reason.
 */
import { type FailureCode, failureCodes, type JobPhase } from '../../../protocol/job-report.ts';
import { ApiError } from '../../domain/errors.ts';
import { failurePromptOf } from '../../domain/explanations/failure-prompt.ts';
import type { LineAround } from '../../domain/explanations/failure-rules/error-lines.ts';
import {
  explainFailure,
  linesOfFailedPhase,
  warningsIn,
} from '../../domain/explanations/failure-rules/explain-failure.ts';
import type {
  Explanation,
  Failed,
  FailedService,
  Failure,
  Serving,
} from '../../domain/explanations/failure-rules/failure.ts';
import { builtinProviderId, chooseProvider } from '../../domain/instance/ai-providers.ts';
import { settingsOf } from '../../domain/instance/settings.ts';
import { projectServicesOf } from '../../domain/projects/project-services.ts';
import { secretMasker } from '../../domain/variables/mask-secrets.ts';
import { AiFailure } from '../../gateways/ai/model-question.ts';
import type { StoredLine } from '../../gateways/log-streams.ts';
import { type ServingRow, selectServing } from '../../store/deployments/serving-store.ts';
import { selectRunner } from '../../store/hosts/runner-store.ts';
import { selectAiProviders } from '../../store/instance/ai-provider-store.ts';
import { selectSettings } from '../../store/instance/settings-store.ts';
import { selectSealedSnapshots } from '../../store/jobs/dispatch-store.ts';
import { selectProjectServices } from '../../store/services/project-service-store.ts';
import { selectServiceFiles } from '../../store/services/service-file-store.ts';
import { selectProjectVariables } from '../../store/services/variable-store.ts';
import { selectSealedLogins } from '../../store/sources/git-credential-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { askForExplanation } from '../instance/ask-ai-provider.ts';
import { openAndResolve, type SecretsOwner } from '../services/resolve-variables.ts';
import { secretsOf } from './secrets-of-service.ts';

export type ExplainNeeds = Pick<Dependencies, 'db' | 'logs' | 'ai' | 'envelope'>;

const linesMax = 300;
const messageCharsMax = 4_000;

/** The failed thing, and the facts about it. */
export interface Problem {
  what: Failed;
  /** Code of a deployment's failure, or of a crash whose lines are known. */
  failureCode: string | null;
  failureMessage: string | null;
  phase: JobPhase | null;
  service: FailedService & { slug: string; runnerId: string; sealedGitToken: string | null };
  project: SecretsOwner & { slug: string };
  /** Reads the last lines that it printed, oldest first. */
  readTail(): Promise<readonly TailLine[]>;
}

/** The last lines of a crash have no id. */
export type TailLine = Pick<StoredLine, 'stream' | 'line'> & { id?: number };

/** A line of the log beside the error. */
export interface LogLineAround {
  /** Its number in the log, from 1; null: a crash, whose log is the app's. */
  number: number | null;
  text: string;
  isError: boolean;
}

export interface RequestedModel {
  /** If absent: the instance's default. */
  providerId?: string | undefined;
  /** If absent: the provider's default. */
  model?: string | undefined;
}

/** The tool with which the suggested commands call the API. */
export type Commands = Pick<Failure, 'tool' | 'apiUrl'>;

export interface ExplainedProblem {
  explanation: Explanation & { lines: LogLineAround[]; serving: Serving | null };
  /** The provider of the explanation; `fallbackReason`: why the requested provider was not used. */
  provider: { id: string; model: string | null; fallbackReason: string | null };
  /** The AI provider that is asked if none is named; null: none, so that the rules explain. */
  askable: string | null;
}

/**
 * Explains a problem, with one round trip to D1 and one to the log.
 * @param commands tool of the suggested commands, and the origin of the API
 * @throws ApiError `conflict` for a disabled provider; `invalid_request` for an unknown provider, and for a model together with the
 *   builtin rules
 */
export async function explainProblem(
  deps: ExplainNeeds,
  problem: Problem,
  requested: RequestedModel,
  commands: Commands,
): Promise<ExplainedProblem> {
  const { what, service, project } = problem;
  const { db } = deps;
  const [tail, [providers, settingRows, serviceRows, variables, [host], [versions], ...sealed]] =
    await Promise.all([
      problem.readTail(),
      db.batch([
        selectAiProviders(db),
        selectSettings(db),
        selectProjectServices(db, project.id),
        selectProjectVariables(db, project.id),
        selectRunner(db, service.runnerId),
        selectServing(db, service.id),
        selectSealedSnapshots(db, service.id),
        selectServiceFiles(db, service.id),
        selectSealedLogins(db, project.id),
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
  const place = { ...commands, onInstalledHost: typeof host?.runner.facts.release === 'string' };
  const failureSeen = (masked: (text: string) => string) =>
    failureOf(problem, tail.slice(-linesMax), opened.warnings, { ...place, ...servingOf(versions) }, masked);
  const failure = failureSeen((text) => text);
  const { explanation: ofRules, lines } = explainFailure(failure);
  const shown = { lines: numbered(lines, failure.lines.length, tail), serving: failure.serving };
  const askable = chooseProvider(undefined, settings, providers).provider?.id ?? null;
  const byRules = (reason: string | null): ExplainedProblem => ({
    askable,
    explanation: { ...ofRules, ...shown },
    provider: { id: builtinProviderId, model: null, fallbackReason: reason },
  });
  if (provider === null) return byRules(fallbackReason);
  try {
    const [snapshots, files, logins] = sealed;
    const deploymentId = what.kind === 'deployment' ? what.id : undefined;
    const stored = { service, project, deploymentId, snapshots, files, logins };
    const masked = secretMasker(await secretsOf(deps, opened, stored));
    const model = requested.model ?? provider.defaultModel;
    const question = failurePromptOf(failureSeen(masked), masked);
    const words = await askForExplanation(deps, { provider, model, settings }, question);
    // A log may mislead a model, so that only the rules name actions.
    const explanation = { ...words, actions: ofRules.actions, ...shown };
    return { askable, explanation, provider: { id: provider.id, model, fallbackReason: null } };
  } catch (error) {
    if (error instanceof AiFailure) return byRules(error.message);
    throw error;
  }
}

/** Refuses a model for the builtin rules, because ignoring it would be misleading. */
function refuseModel(model: string | undefined): void {
  if (model === undefined) return;
  throw new ApiError(
    'invalid_request',
    `The field "model" has no effect with the provider "${builtinProviderId}": leave it out, or set "providerId" to a connected AI provider.`,
  );
}

function servingOf(row: ServingRow | undefined): Pick<Failure, 'serving' | 'previousId'> {
  const { liveId, liveCommitSha, liveSince, isDown, previousId } = row ?? { isDown: 0, previousId: null };
  const serving =
    isDown || !liveId || !liveSince
      ? null
      : { deploymentId: liveId, commit: liveCommitSha ?? null, since: liveSince };
  return { serving, previousId };
}

/** @param count of the lines that the rules saw, which are the last of the tail */
function numbered(lines: readonly LineAround[], count: number, tail: readonly TailLine[]): LogLineAround[] {
  return lines.map(({ index, text, isError }) => ({
    number: tail[tail.length - count + index]?.id ?? null,
    ...{ text, isError },
  }));
}

/** @param masked removes secrets from whole lines and sentences, before they are shortened */
function failureOf(
  { what, failureCode, failureMessage, phase, service, project }: Problem,
  tail: readonly TailLine[],
  warningsNow: readonly string[],
  place: Commands & Pick<Failure, 'onInstalledHost' | 'serving' | 'previousId'>,
  masked: (text: string) => string,
): Failure {
  return {
    what,
    code: failureCodes.find((one): one is FailureCode => one === failureCode) ?? null,
    message: masked(failureMessage ?? '').slice(0, messageCharsMax),
    phase,
    lines: linesOfFailedPhase(tail, masked),
    warnings: [...new Set([...warningsIn(tail), ...warningsNow])].map(masked),
    service: facts(service),
    serviceName: `${project.slug}/${service.slug}`,
    ...place,
  };
}

/** The only fields of a service that explanations and models may see. */
function facts(service: FailedService): FailedService {
  const { id, kind, repoUrl, branch, rootDir, imageRef, dockerfilePath, detectedBuildMethod, staticOutput } =
    service;
  const { sourceFiles, runtimeMode, internalPort, healthCheckPath, memoryLimitMb } = service;
  const source = {
    kind,
    repoUrl,
    branch,
    rootDir,
    imageRef,
    dockerfilePath,
    detectedBuildMethod,
    sourceFiles,
    staticOutput,
  };
  return { id, ...source, runtimeMode, internalPort, healthCheckPath, memoryLimitMb };
}
