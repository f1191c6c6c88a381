/**
 * The built-in explanation of a failed deployment, a crash or a failed command: the first matching rule of one ordered list. Pure: no
 * network, no clock.
 * More specific rules, and rules nearer to the cause, come first; exit codes come last.
 */
import type { LogLine } from '../../../../protocol/frames.ts';
import { settingsWhere } from '../../services/settings/service-settings.ts';
import type { ActionOf } from '../explanation-actions.ts';
import { buildMethodRules } from './build-method-rules.ts';
import { commandOf, deployAgain, readLog, restart, runAgain, sendFolder } from './commands.ts';
import { compileRules } from './compile-rules.ts';
import { crashRules } from './crash-rules.ts';
import { dockerfileRules } from './dockerfile-rules.ts';
import { downloadRules } from './download-rules.ts';
import { type LineAround, linesAround } from './error-lines.ts';
import { withExistingFiles } from './existing-files.ts';
import { exitCodeRules } from './exit-code-rules.ts';
import {
  cut,
  type Diagnosis,
  type Explanation,
  type Failure,
  type FailureRule,
  findIn,
  type Step,
} from './failure.ts';
import { gitRules } from './git-rules.ts';
import { answerRules, noAnswerRules } from './health-rules.ts';
import { hostRules } from './host-rules.ts';
import { languageInstallRules } from './language-install-rules.ts';
import { memoryRules } from './memory-rules.ts';
import { missingModuleRules } from './missing-module-rules.ts';
import { nodeInstallRules } from './node-install-rules.ts';
import { registryRules } from './registry-rules.ts';
import { runningRules } from './running-rules.ts';
import { sourceRules } from './source-rules.ts';
import { isUpload } from './source-words.ts';
import { startRefusedRules, startRules } from './start-rules.ts';
import { systemPackageRules } from './system-package-rules.ts';
import { uploadRules } from './upload-rules.ts';

export const failureRules: readonly FailureRule[] = [
  ...runningRules,
  ...hostRules,
  ...uploadRules,
  ...sourceRules,
  ...gitRules,
  ...buildMethodRules,
  ...dockerfileRules,
  ...downloadRules,
  ...registryRules,
  ...memoryRules,
  ...nodeInstallRules,
  ...languageInstallRules,
  ...systemPackageRules,
  ...missingModuleRules,
  ...compileRules,
  ...answerRules,
  ...startRules,
  ...crashRules,
  ...startRefusedRules,
  ...noAnswerRules,
  ...exitCodeRules,
];

export interface BuiltinExplanation {
  /** `null` if no rule matches the failure. */
  rule: string | null;
  explanation: Explanation;
  /** The lines around the error. */
  lines: LineAround[];
}

/** Explains a failure by the first rule that matches. Always returns an explanation. */
export function explainFailure(failure: Failure): BuiltinExplanation {
  for (const rule of failureRules) {
    const found = findIn(failure, rule);
    if (!found) continue;
    const diagnosis = withExistingFiles(
      rule.explain(found, failure),
      failure,
      `${failure.message}\n${found.line}`,
    );
    const lines = linesAround(failure, found.lineIndex);
    return { rule: rule.id, explanation: explanationOf(diagnosis, failure), lines };
  }
  const explanation = explanationOf(unknownFailure(failure), failure);
  return { rule: null, explanation, lines: linesAround(failure, null) };
}

/** The commands and the actions are written from the same steps, so that they say the same. */
function explanationOf(diagnosis: Diagnosis, failure: Failure): Explanation {
  const { steps, ...words } = withWayBack(withNextStep(diagnosis, failure), failure);
  return {
    ...words,
    commands: steps.map((step) => commandOf(failure, step)),
    actions: steps.filter((step) => typeof step !== 'string'),
  };
}

/** While nothing answers, or the live version has trouble, the one before is the quickest help. */
function withWayBack(diagnosis: Diagnosis, { what, serving, previousId }: Failure): Diagnosis {
  const helps = what.kind === 'crash' || (what.kind === 'deployment' && serving === null);
  if (previousId === null || !helps) return diagnosis;
  const back = { kind: 'rollback', deploymentId: previousId } as const;
  return { ...diagnosis, steps: [...diagnosis.steps.slice(0, -1), back, ...diagnosis.steps.slice(-1)] };
}

const errorWords =
  /\b(error|errors|fatal|failed|failure|exception|panic|traceback|denied|refused|invalid|cannot|can't|could not|unable|missing|not found|no such)\b/i;
const quotedLinesMax = 5;

const failedNames = { deployment: 'deployment', crash: 'app', run: 'command' } as const;

/** For a failure without a matching rule: the host's message, and the last lines that look like errors. */
function unknownFailure(failure: Failure): Diagnosis {
  const said = failure.lines.filter((line) => line.trim() !== '' && !line.startsWith('Failed ('));
  const suspicious = said.filter((line) => errorWords.test(line));
  const quoted = (suspicious.length > 0 ? suspicious : said)
    .slice(-quotedLinesMax)
    .map((line) => `"${cut(line)}"`);
  const phase = failure.phase === null || failure.phase === 'run' ? '' : ` in its phase "${failure.phase}"`;
  const name = failedNames[failure.what.kind];
  return {
    summary: failure.message === '' ? `The ${name} failed${phase}.` : failure.message,
    likelyCause:
      quoted.length > 0
        ? `This failure is unknown. The last lines that look like errors: ${quoted.join(' ')}`
        : `The ${name} failed${phase}, and its log contains nothing else.`,
    suggestedFix: 'Read the log around these lines, fix what they report, and deploy again.',
    steps: [readLog(failure), deployAgain],
  };
}

type Line = Pick<LogLine, 'stream' | 'line'>;

/** The runner writes this line at the end of each phase that succeeded (jobs/parts/attempt.ts). */
const phaseDone = /^(clone|build|start|health|switch|finish): done in /;
const warning = /^Warning: (.+)/;
/** ECMA-48 "select graphic rendition": the only escape sequences that logs keep. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequence begins with ESC
const colours = /\u001b\[[0-9;:]*m/g;

/** Rules only search this many characters of a line. */
const lineCharsMax = 1_000;

/**
 * Reduces a log's tail to the lines after the end of the last successful phase, without colours: output of phases that succeeded does not
 * explain a failure.
 * @param masked removes secrets. It gets whole lines, because cutting first could leave a part of a secret
 */
export function linesOfFailedPhase(
  tail: readonly Line[],
  masked: (line: string) => string = (line) => line,
): string[] {
  const done = tail.findLastIndex(({ stream, line }) => stream === 'system' && phaseDone.test(line));
  return tail.slice(done + 1).map(({ line }) => masked(line.replace(colours, '')).slice(0, lineCharsMax));
}

/** The runner's warnings about references that could not be resolved. */
export function warningsIn(lines: readonly Line[]): string[] {
  return lines.flatMap(({ stream, line }) => (stream === 'system' && warning.exec(line)?.[1]) || []);
}

const forDeployment: ReadonlySet<string> = new Set(
  settingsWhere(({ appliedBy }) => appliedBy === 'deployment'),
);

/**
 * The diagnosis with a last step that applies the change. Rules only say "deploy again"; the step depends on what failed and on the service's
 * source.
 */
export function withNextStep(diagnosis: Diagnosis, failure: Failure): Diagnosis {
  const { what } = failure;
  const changes = diagnosis.steps.filter(isSettingsChange);
  const changesSettings = changes.length > 0;
  const isForRestart =
    changesSettings && !changes.some((one) => one.kind === 'setting' && forDeployment.has(one.field));
  const source = isUpload(failure) && !changesSettings ? sendFolder : deployAgain;
  const apply = isForRestart ? restart : source;
  const next = (step: Step): Step[] => {
    if (typeof step === 'string' || (step.kind !== 'deploy' && step.kind !== 'send-folder')) return [step];
    if (what.kind === 'deployment') return [source === sendFolder ? sendFolder : step];
    if (what.kind === 'crash') return [apply];
    // A command starts with the current settings and variables.
    return [...(changesSettings ? [] : [apply]), runAgain(what)];
  };
  return { ...diagnosis, steps: diagnosis.steps.flatMap(next) };
}

const isSettingsChange = (step: Step): step is ActionOf<'set-variable' | 'setting'> =>
  typeof step !== 'string' && (step.kind === 'set-variable' || step.kind === 'setting');
