/** What a rule gets to know about a failed deployment, a crash or a failed command, and the explanation that it returns. */
import type { FailureCode, JobPhase } from '../../../../protocol/job-report.ts';
import type { NamedSourceFile } from '../../../../protocol/sources/source-files.ts';
import type { ServiceKind } from '../../services/service-kind.ts';

/** curl needs nothing but the key; `longshore` is the command line, for those who have it. */
export const commandTools = ['curl', 'longshore'] as const;
export type CommandTool = (typeof commandTools)[number];

/** An explanation, as the API shows it. */
export interface Explanation {
  /** What happened, one sentence. */
  summary: string;
  /** Why, as far as the log and the service's state show. */
  likelyCause: string;
  /** What to change. */
  suggestedFix: string;
  /** Shell commands, to be reviewed before running; they never contain a secret. */
  commands: string[];
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
  /** Of the newest deployment that got as far as its build; null before. */
  detectedBuildMethod: 'dockerfile' | 'analyzer' | null;
  /** What the newest fetched source has of the files that rules name; null: unknown. */
  sourceFiles: readonly NamedSourceFile[] | null;
  staticOutput: string | null;
  runtimeMode: 'web' | 'worker' | 'static';
  internalPort: number;
  healthCheckPath: string | null;
  memoryLimitMb: number | null;
}

/** What failed: a deployment, the live version while it ran, or a command that ran once or by the clock. */
export type Failed =
  | { kind: 'deployment'; id: string }
  | { kind: 'crash' }
  | { kind: 'run'; id: string; command: string };

export interface Failure {
  what: Failed;
  /** Null for a code that this version does not know. A crash has the code of an app that ended at its start. */
  code: FailureCode | null;
  /** The sentence of the host or the control plane. */
  message: string;
  phase: JobPhase | null;
  /** Last lines of the failed phase, oldest first, without colours (failed-phase.ts). */
  lines: readonly string[];
  /** Warnings about references that could not be resolved. */
  warnings: readonly string[];
  service: FailedService;
  /** `project/service`, as the command line names it. */
  serviceName: string;
  /** What the suggested commands call this API with. */
  tool: CommandTool;
  /** Origin of this API, for commands: on a loopback address it is a local instance, whose own runner is a child of `npm start`. */
  apiUrl: string;
  /** Whether its host was added by the install command, so that its runner is a systemd unit also on a local instance. */
  onInstalledHost: boolean;
}

/** What a rule's pattern matched. */
export interface Found {
  /** The whole line, shortened. */
  line: string;
  /** Named groups; a group that did not take part in the match is empty. */
  groups: Readonly<Record<string, string>>;
}

export interface FailureRule {
  /** Also the name of its fixture in test/fixtures/failures. */
  id: string;
  /** The rule only applies to failures with these codes, and with `says` to commands if it knows apps that end at their start. */
  codes: readonly FailureCode[];
  /** Absent: the rule applies whatever failed. */
  of?: readonly Failed['kind'][];
  /** Searched in the message, then in the lines from the oldest, then in the warnings. Absent: the code is enough. */
  says?: RegExp;
  /** Absent: each failure in which `says` is found. */
  fits?(found: Found, failure: Failure): boolean;
  explain(found: Found, failure: Failure): Explanation;
}

/** The program that failed. */
export const subjectOf = ({ what }: Pick<Failure, 'what'>): string =>
  what.kind === 'run' ? 'command' : 'app';

/** Maximum length of a line that an explanation quotes. */
const quotedCharsMax = 300;

/** @returns what the rule matched; null if it does not apply. */
export function findIn(failure: Failure, rule: FailureRule): Found | null {
  const found = appliesTo(rule, failure) ? firstMatch(failure, rule) : null;
  return found && rule.fits?.(found, failure) !== false ? found : null;
}

function firstMatch(failure: Failure, rule: FailureRule): Found | null {
  if (!rule.says) return { line: cut(failure.message), groups: {} };
  for (const text of [failure.message, ...failure.lines, ...failure.warnings]) {
    const match = rule.says.exec(text);
    if (match) return { line: cut(text), groups: groupsOf(match) };
  }
  return null;
}

/** A command prints what an app prints that ends at its start. */
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
