/**
 * The built-in explanation of a failed deployment, a crash or a failed command: the first matching rule of one ordered list. Pure: no
 * network, no clock.
 * More specific rules, and rules nearer to the cause, come first; exit codes come last.
 */
import type { LogLine } from '../../../../protocol/frames.ts';
import { settingsWhere } from '../../services/settings/service-settings.ts';
import { buildMethodRules } from './build-method-rules.ts';
import { deployAgain, isSettingsChange, readLog, restart, runAgain, sendFolder } from './commands.ts';
import { compileRules } from './compile-rules.ts';
import { crashRules } from './crash-rules.ts';
import { dockerfileRules } from './dockerfile-rules.ts';
import { downloadRules } from './download-rules.ts';
import { withExistingFiles } from './existing-files.ts';
import { exitCodeRules } from './exit-code-rules.ts';
import { cut, type Explanation, type Failure, type FailureRule, findIn } from './failure.ts';
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
}

/** Explains a failure by the first rule that matches. Always returns an explanation. */
export function explainFailure(failure: Failure): BuiltinExplanation {
  for (const rule of failureRules) {
    const found = findIn(failure, rule);
    if (!found) continue;
    const explanation = withExistingFiles(
      rule.explain(found, failure),
      failure,
      `${failure.message}\n${found.line}`,
    );
    return { rule: rule.id, explanation: withNextStep(explanation, failure) };
  }
  return { rule: null, explanation: withNextStep(unknownFailure(failure), failure) };
}

const errorWords =
  /\b(error|errors|fatal|failed|failure|exception|panic|traceback|denied|refused|invalid|cannot|can't|could not|unable|missing|not found|no such)\b/i;
const quotedLinesMax = 5;

const failedNames = { deployment: 'deployment', crash: 'app', run: 'command' } as const;

/** For a failure without a matching rule: the host's message, and the last lines that look like errors. */
function unknownFailure(failure: Failure): Explanation {
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
    commands: [readLog(failure), deployAgain(failure)],
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

/** Matches a setting in a body or an argument of the command line that a restart does not apply. */
const forDeployment = new RegExp(
  `\\b(?:${settingsWhere(({ appliedBy }) => appliedBy === 'deployment').join('|')})(?:":|=| --stdin)`,
);

/**
 * The explanation with a last command that applies the change. Rules only say "deploy again"; the command depends on what failed and on
 * the service's source.
 */
export function withNextStep(explanation: Explanation, failure: Failure): Explanation {
  const { what } = failure;
  const deploy = deployAgain(failure);
  const changes = explanation.commands.filter((one) => isSettingsChange(failure, one));
  const changesSettings = changes.length > 0;
  const isForRestart = changesSettings && !changes.some((one) => forDeployment.test(one));
  const apply = isForRestart ? restart(failure) : isUpload(failure) && !changesSettings ? sendFolder : deploy;
  const steps = (command: string): string[] => {
    if (command !== deploy && command !== sendFolder) return [command];
    if (what.kind === 'deployment') return [isUpload(failure) && !changesSettings ? sendFolder : command];
    if (what.kind === 'crash') return [apply];
    // A command starts with the current settings and variables.
    return [...(changesSettings ? [] : [apply]), runAgain(failure, what)];
  };
  return { ...explanation, commands: explanation.commands.flatMap(steps) };
}
