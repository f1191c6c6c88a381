/** The input of a rule about a failed deployment, a crash or a failed command, and the explanation that the rule returns. */

import type { FailureCode, JobPhase } from '../../../../protocol/job-report.ts';
import type { CommandContainer } from '../../../../protocol/job-spec.ts';
import type { NamedSourceFile } from '../../../../protocol/sources/source-files.ts';
import type { ServiceKind } from '../../services/service-kind.ts';
import type { ExplanationAction } from '../explanation-actions.ts';

/** curl needs only the key; `longshore` is the command line, for users who installed it. */
export const commandTools = ['curl', 'longshore'] as const;
export type CommandTool = (typeof commandTools)[number];

/** A step of a remedy: an action at the platform, or a shell command for the user's own machine. */
export type Step = ExplanationAction | string;

/** What a rule says of a failure. */
export interface Diagnosis {
  /** What happened, in one sentence. */
  summary: string;
  /** The reason, as far as the log and the service's state show it. */
  likelyCause: string;
  /** The change to make. */
  suggestedFix: string;
  /** The last one applies the change. */
  steps: Step[];
}

/** An explanation in words: what a language model may write, too. */
export interface ExplanationText extends Omit<Diagnosis, 'steps'> {
  /** Shell commands that the user should review before running them; they never contain a secret. */
  commands: string[];
}

/** An explanation, as the API shows it. */
export interface Explanation extends ExplanationText {
  /** The actions among the commands, as data. Only rules name them. */
  actions: ExplanationAction[];
}

/** The version of the service that answers. */
export interface Serving {
  deploymentId: string;
  /** Its commit; null: not built from a repository. */
  commit: string | null;
  /** Epoch milliseconds since when it is live. */
  since: number;
}

/** The columns of a service that explanations and their commands use. */
export interface FailedService {
  id: string;
  kind: ServiceKind;
  repoUrl: string;
  branch: string;
  rootDir: string | null;
  imageRef: string | null;
  dockerfilePath: string | null;
  /** The build method of the newest deployment that reached its build; `null` if there is none. */
  detectedBuildMethod: 'dockerfile' | 'analyzer' | null;
  /** The files of the newest fetched source that rules may mention; `null` if unknown. */
  sourceFiles: readonly NamedSourceFile[] | null;
  staticOutput: string | null;
  runtimeMode: 'web' | 'worker' | 'static';
  internalPort: number;
  healthCheckPath: string | null;
  memoryLimitMb: number | null;
}

/** The failed thing: a deployment, the running live version, or a command that ran once or on a schedule. */
export type Failed = { kind: 'deployment'; id: string } | { kind: 'crash' } | FailedCommand;

/** `container` is absent for a new one. */
export interface FailedCommand {
  kind: 'run';
  id: string;
  command: string;
  container?: CommandContainer;
}

export interface Failure {
  what: Failed;
  /** `null` for a code that this version does not know. A crash has the code of an app that exited at its start. */
  code: FailureCode | null;
  /** The message of the host or the control plane. */
  message: string;
  phase: JobPhase | null;
  /** Last lines of the failed phase, oldest first, without colours (explain-failure.ts). */
  lines: readonly string[];
  /** Warnings about references that could not be resolved. */
  warnings: readonly string[];
  service: FailedService;
  /** What answers now; null: nothing. */
  serving: Serving | null;
  /** The deployment that was live before, if a rollback to it is possible. */
  previousId: string | null;
  /** `project/service`, the form of the command line. */
  serviceName: string;
  /** The tool with which the suggested commands call this API. */
  tool: CommandTool;
  /** Origin of this API, for commands: on a loopback address it is a local instance, whose own runner is a child of `npm start`. */
  apiUrl: string;
  /** Whether its host was added by the install command: then its runner is a systemd unit, even on a local instance. */
  onInstalledHost: boolean;
}

/** The match of a rule's pattern. */
export interface Found {
  /** The whole line, shortened. */
  line: string;
  /** Its index in `Failure.lines`; null: the message or a warning says it. */
  lineIndex: number | null;
  /** Named groups of the pattern; an unmatched group is empty. */
  groups: Readonly<Record<string, string>>;
}

export interface FailureRule {
  /** Also the name of its fixture in test/fixtures/failures. */
  id: string;
  /** The rule applies only to failures with these codes. With `says`, it also applies to commands if it covers apps that exit at their start. */
  codes: readonly FailureCode[];
  /** If absent: the rule applies to every kind of failure. */
  of?: readonly Failed['kind'][];
  /** Searched in the message, then in the lines from the oldest, then in the warnings. If absent, the code is enough. */
  says?: RegExp;
  /** If absent: the rule applies to each failure in which `says` is found. */
  fits?(found: Found, failure: Failure): boolean;
  explain(found: Found, failure: Failure): Diagnosis;
}

/** The program that failed. */
export const subjectOf = ({ what }: Pick<Failure, 'what'>): string =>
  what.kind === 'run' ? 'command' : 'app';

/** Maximum length of a line that an explanation quotes. */
const quotedCharsMax = 300;

/** @returns the match; null if the rule does not apply. */
export function findIn(failure: Failure, rule: FailureRule): Found | null {
  const found = appliesTo(rule, failure) ? firstMatch(failure, rule) : null;
  return found && rule.fits?.(found, failure) !== false ? found : null;
}

function firstMatch(failure: Failure, rule: FailureRule): Found | null {
  if (!rule.says) return { line: cut(failure.message), lineIndex: null, groups: {} };
  for (const [index, text] of [failure.message, ...failure.lines, ...failure.warnings].entries()) {
    const match = rule.says.exec(text);
    const lineIndex = index > 0 && index <= failure.lines.length ? index - 1 : null;
    if (match) return { line: cut(text), lineIndex, groups: groupsOf(match) };
  }
  return null;
}

/** A failed command prints the same as an app that exits at its start. */
const codesOfEndedApps = ['health_failed', 'start_failed'] as const;

function appliesTo({ codes, of, says }: FailureRule, { code, what }: Failure): boolean {
  if (code === null || of?.includes(what.kind) === false) return false;
  if (codes.includes(code)) return true;
  return code === 'run_failed' && says !== undefined && codesOfEndedApps.some((one) => codes.includes(one));
}

function groupsOf(match: RegExpExecArray): Record<string, string> {
  const groups: Record<string, string | undefined> = match.groups ?? {};
  return Object.fromEntries(Object.entries(groups).map(([name, text]) => [name, cut(text ?? '')]));
}

export function cut(text: string): string {
  const line = text.trim();
  return line.length > quotedCharsMax ? `${line.slice(0, quotedCharsMax)}…` : line;
}
