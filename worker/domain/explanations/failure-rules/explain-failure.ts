/**
 * The built-in explanation of a failed deployment, a crash or a failed command: the first matching rule of one ordered list. Pure: no
 * network, no clock.
 * More specific rules, and rules nearer to the cause, come first; exit codes come last.
 */
import { buildMethodRules } from './build-method-rules.ts';
import { deployAgain, readLog } from './commands.ts';
import { compileRules } from './compile-rules.ts';
import { crashRules } from './crash-rules.ts';
import { dockerfileRules } from './dockerfile-rules.ts';
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
import { startRefusedRules, startRules } from './start-rules.ts';
import { systemPackageRules } from './system-package-rules.ts';
import { uploadRules } from './upload-rules.ts';
import { withNextStep } from './what-comes-next.ts';

export const failureRules: readonly FailureRule[] = [
  ...runningRules,
  ...hostRules,
  ...uploadRules,
  ...sourceRules,
  ...gitRules,
  ...buildMethodRules,
  ...dockerfileRules,
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
  /** Null when no rule matches the failure. */
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

/** For a failure that no rule matches: the host's sentence, and the last lines that look like errors. */
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
