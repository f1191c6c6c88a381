/** What a rule sees of a failed deployment, and what it says of it. */
import type { FailureCode, JobPhase } from '../../../protocol/job-report.ts';

/** The explanation that the client sees. */
export interface Explanation {
  /** What happened, one sentence. */
  summary: string;
  /** Why, as far as log and state tell. */
  likelyCause: string;
  /** What to change. */
  suggestedFix: string;
  /** Commands for a shell, to be read before they are run; never with a secret in them. */
  commands: string[];
}

/** The columns of a service that explanations and their commands name. */
export interface FailedService {
  id: string;
  kind: 'git' | 'image' | 'database';
  repoUrl: string;
  branch: string;
  rootDir: string | null;
  imageRef: string | null;
  dockerfilePath: string | null;
  staticOutput: string | null;
  runtimeMode: 'web' | 'worker' | 'static';
  internalPort: number;
  healthCheckPath: string | null;
  memoryLimitMb: number | null;
}

export interface Failure {
  /** Null for a code that this version does not know. */
  code: FailureCode | null;
  /** The sentence of the host or the platform. */
  message: string;
  phase: JobPhase | null;
  /** Last lines of the phase that failed, oldest first, without colours (failed-phase.ts). */
  lines: readonly string[];
  /** About variables' references that could not be resolved. */
  warnings: readonly string[];
  service: FailedService;
  deploymentId: string;
  /** Origin of this API, for commands. */
  apiUrl: string;
}

/** What a rule's pattern found. */
export interface Found {
  /** The whole line, cut. */
  line: string;
  /** Named groups; one that took no part is empty. */
  groups: Readonly<Record<string, string>>;
}

export interface FailureRule {
  /** Name of its fixture in test/fixtures/failures. */
  id: string;
  /** It looks at failures of these codes only. */
  codes: readonly FailureCode[];
  /** Looked for in the sentence, then in the lines from the oldest, then in the warnings; left out where the code says it all. */
  says?: RegExp;
  explain(found: Found, failure: Failure): Explanation;
}

/** Longest part of a line that is quoted in an explanation. */
const quotedCharsMax = 300;

/** @returns what the rule found; null when it does not apply. */
export function findIn(failure: Failure, rule: FailureRule): Found | null {
  if (failure.code === null || !rule.codes.includes(failure.code)) return null;
  if (!rule.says) return { line: cut(failure.message), groups: {} };
  for (const text of [failure.message, ...failure.lines, ...failure.warnings]) {
    const match = rule.says.exec(text);
    if (match) return { line: cut(text), groups: groupsOf(match) };
  }
  return null;
}

function groupsOf(match: RegExpExecArray): Record<string, string> {
  const groups: Record<string, string | undefined> = match.groups ?? {};
  return Object.fromEntries(Object.entries(groups).map(([name, text]) => [name, cut(text ?? '')]));
}

export function cut(text: string): string {
  const line = text.trim();
  return line.length > quotedCharsMax ? `${line.slice(0, quotedCharsMax)}…` : line;
}
